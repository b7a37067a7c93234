/**
 * The API key of a request, in both planes: `Authorization: Bearer`, else `x-api-key`. Another scheme, such as the
 * `Basic` of a proxy in front, is not ours to read. null: no key. An empty bearer is a key, and a wrong one.
 */
export function apiKeyIn(headers: Headers): string | null {
  const authorization = headers.get("authorization");
  if (authorization === null) return headers.get("x-api-key");
  if (authorization.startsWith("Bearer ")) return authorization.slice("Bearer ".length).trim();
  const bearer = /^\s*bearer(?:\s+(.*))?$/i.exec(authorization);
  return bearer ? (bearer[1] ?? "").trim() : headers.get("x-api-key");
}
