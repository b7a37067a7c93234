import { fail } from "@tollgate/core/errors";

/**
 * Requests authorized by a cookie must come from our own pages: SameSite alone would let a sibling site in.
 * `Sec-Fetch-Site` is used where a browser omits `Origin`.
 */
export function requireOwnOrigin(
  request: Request,
  origins: ReadonlySet<string>,
  ifMissing: "refuse" | "allow",
): void {
  const origin = request.headers.get("origin");
  const site = request.headers.get("sec-fetch-site");
  const isOurs =
    origin !== null ? origins.has(origin) : site !== null ? site === "same-origin" : ifMissing === "allow";
  if (isOurs) return;
  const isUnknown = origin === null && site === null;
  throw fail(
    "foreign_origin",
    isUnknown
      ? "With a session cookie, a change needs the header Origin with the address of this web API"
      : "This request comes from a page of another origin",
  );
}

/** Another site's form can send text but not JSON: that requires a preflight, which we do not answer. */
export function requireJson(request: Request): void {
  if (request.body === null) return;
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json") throw fail("foreign_origin", "The body must be sent as application/json");
}

/** Every way a browser may write our address. */
export function ownOrigins(urls: readonly string[]): ReadonlySet<string> {
  const origins = new Set<string>();
  for (const text of urls) {
    const url = new URL(text);
    origins.add(url.origin);
    if (!loopbackNames.includes(url.hostname)) continue;
    for (const name of loopbackNames) {
      url.hostname = name;
      origins.add(url.origin);
    }
  }
  return origins;
}

const loopbackNames = ["127.0.0.1", "localhost", "[::1]"];
