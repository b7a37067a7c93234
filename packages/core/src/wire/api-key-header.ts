/**
 * The API key of a request, in both planes: `Authorization: Bearer`, otherwise `x-api-key`. Other schemes, such as
 * `Basic` for a proxy in front, are ignored, as is a foreign bearer token beside one of our keys: clients that are signed
 * in to a provider send both. null: no key. An empty bearer token is an invalid key.
 */
export function apiKeyIn(headers: Headers): string | null {
  const bearer = bearerIn(headers.get("authorization"));
  if (bearer !== null && isOurs.test(bearer)) return bearer;
  const key = headers.get("x-api-key");
  return bearer === null || (key !== null && isOurs.test(key)) ? key : bearer;
}

/** `al_` is the prefix of old keys. */
const isOurs = /^(sk_(live|test)|al)_/;

function bearerIn(authorization: string | null): string | null {
  if (authorization === null) return null;
  if (authorization.startsWith("Bearer ")) return authorization.slice("Bearer ".length).trim();
  const bearer = /^\s*bearer(?:\s+(.*))?$/i.exec(authorization);
  return bearer ? (bearer[1] ?? "").trim() : null;
}
