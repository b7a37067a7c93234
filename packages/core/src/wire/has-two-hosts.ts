/** Two `Host` lines, which the server joins with a comma: two servers could interpret them differently. */
export function hasTwoHosts(headers: Headers): boolean {
  return headers.get("host")?.includes(",") ?? false;
}
