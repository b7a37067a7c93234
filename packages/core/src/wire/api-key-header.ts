/**
 * The API key of a request, in both planes: `Authorization: Bearer`, otherwise `x-api-key`. Other schemes, such as
 * `Basic` for a proxy in front, are ignored. null: no key. An empty bearer token is an invalid key.
 */
export function apiKeyIn(headers: Headers): string | null {
  const authorization = headers.get("authorization");
  if (authorization === null) return headers.get("x-api-key");
  if (authorization.startsWith("Bearer ")) return authorization.slice("Bearer ".length).trim();
  const bearer = /^\s*bearer(?:\s+(.*))?$/i.exec(authorization);
  return bearer ? (bearer[1] ?? "").trim() : headers.get("x-api-key");
}
