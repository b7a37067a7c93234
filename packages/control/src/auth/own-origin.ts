import { fail } from "@tollgate/core/errors";

/**
 * A browser says where a request comes from. Anything that a cookie pays for must come from our own pages: SameSite
 * alone would let a sibling site in. `Sec-Fetch-Site` stands in where a browser leaves `Origin` out.
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
  if (!isOurs) throw fail("foreign_origin", "This request comes from a page of another origin");
}

/** A form of another site can send text, never JSON: that takes a preflight, which we do not answer. */
export function requireJson(request: Request): void {
  if (request.body === null) return;
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json") throw fail("foreign_origin", "The body must be sent as application/json");
}

/** Every way in which a browser may write our address. */
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
