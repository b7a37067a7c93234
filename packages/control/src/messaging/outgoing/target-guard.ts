import { isIP } from "node:net";
import { fail } from "@tollgate/core/errors";
import { type AllowedTargets, parseAllowedTargets } from "./allowed-targets.ts";
import { OutgoingFault } from "./outgoing-fault.ts";
import { isPrivateAddress } from "./private-addresses.ts";

const MAX_URL_LENGTH = 2048;

/**
 * Which user-supplied addresses may be reached. One rule, applied twice: to the text of an address when it is
 * registered, and to everything its name resolves to whenever something is sent.
 */
export class TargetGuard {
  constructor(private readonly allowed: AllowedTargets) {}

  /** The value of `SVC_ALLOWED_PRIVATE_TARGETS`. */
  static of(allowedPrivateTargets = ""): TargetGuard {
    return new TargetGuard(parseAllowedTargets(allowedPrivateTargets));
  }

  parse(address: string): URL {
    const url = address.length <= MAX_URL_LENGTH ? URL.parse(address) : null;
    if (!url || (url.protocol !== "https:" && url.protocol !== "http:")) {
      throw new OutgoingFault("refused", "the address is not an http or https URL");
    }
    if (url.username !== "" || url.password !== "") {
      throw new OutgoingFault("refused", "the address must not carry a user name or password");
    }
    return url;
  }

  /** Checks every address a name resolves to, because we do not choose which is used. */
  check(hostname: string, address: string): void {
    if (!isPrivateAddress(address) || this.allowed.allows(hostname, address)) return;
    throw new OutgoingFault(
      "refused",
      "private addresses are blocked unless listed in SVC_ALLOWED_PRIVATE_TARGETS",
    );
  }

  /** Refuses (400) what every delivery would refuse, whatever DNS says. */
  refuseAtRegistration(field: string, address: string | null | undefined): void {
    if (address === undefined || address === null) return;
    try {
      const hostname = hostnameOf(this.parse(address));
      if (isIP(hostname) !== 0) this.check(hostname, hostname);
      else if (isLocalhost(hostname) && !this.allowed.allows(hostname, "::1"))
        this.check(hostname, "127.0.0.1");
    } catch (fault) {
      if (fault instanceof OutgoingFault) throw fail("invalid_request", `${field}: ${fault.message}`);
      throw fault;
    }
  }
}

/** As a resolver expects it: brackets (`[::1]`) and a final dot (`example.org.`) occur only in URLs. */
export function hostnameOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
}

/** These names mean this machine to every resolver (RFC 6761). */
function isLocalhost(hostname: string): boolean {
  return hostname === "localhost" || hostname.endsWith(".localhost");
}
