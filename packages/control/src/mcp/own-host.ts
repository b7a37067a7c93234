import { fail } from "@tollgate/core/errors";

/**
 * A page can make its own name resolve to this machine (DNS rebinding) and then reach us as if we were its server. It
 * cannot do that with a numeric address, so those and our own names are accepted.
 */
export function requireOwnHost(request: Request, origins: ReadonlySet<string>): void {
  const host = URL.parse(`http://${request.headers.get("host") ?? ""}`)?.hostname ?? "";
  const isOurs = isAddress(host) || [...origins].some(origin => new URL(origin).hostname === host);
  if (!isOurs)
    throw fail("foreign_origin", "This Host is not one of this server's addresses; set SVC_PUBLIC_URL");
}

function isAddress(host: string): boolean {
  return /^\d{1,3}(\.\d{1,3}){3}$/.test(host) || host.startsWith("[");
}
