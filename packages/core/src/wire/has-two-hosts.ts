/** Two `Host` lines, which the server joins with a comma: two servers could read them as two different requests. */
export function hasTwoHosts(headers: Headers): boolean {
  return headers.get("host")?.includes(",") ?? false;
}
