import { fail } from "@tollgate/core/errors";

/**
 * A page can make its own name resolve to this machine, and so talk to us as if we were its server. It cannot do that
 * with an address written in numbers: those and our own names are answered.
 */
export function requireOwnHost(request: Request, origins: ReadonlySet<string>): void {
  const host = URL.parse(`http://${request.headers.get("host") ?? ""}`)?.hostname ?? "";
  const isOurs = isAddress(host) || [...origins].some(origin => new URL(origin).hostname === host);
  if (!isOurs) throw fail("foreign_origin", "This Host is not an address of ours; SVC_PUBLIC_URL sets it");
}

function isAddress(host: string): boolean {
  return /^\d{1,3}(\.\d{1,3}){3}$/.test(host) || host.startsWith("[");
}
