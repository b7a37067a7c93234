import { isIP } from "node:net";
import { fail } from "@tollgate/core/errors";
import { type AllowedTargets, parseAllowedTargets } from "./allowed-targets.ts";
import { OutgoingFault } from "./outgoing-fault.ts";
import { isPrivateAddress } from "./private-addresses.ts";

const MAX_URL_LENGTH = 2048;

/**
 * Which addresses that users give us may be reached. One rule, asked twice: when an address is registered, as far as
 * its text tells, and whenever something is sent there, of everything that its name then resolves to.
 */
export class TargetGuard {
  constructor(private readonly allowed: AllowedTargets) {}

  /** `SVC_ALLOWED_PRIVATE_TARGETS`, as it is written. */
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

  /** Of every address that a name resolves to: which of them is used is not ours to choose. */
  check(hostname: string, address: string): void {
    if (!isPrivateAddress(address) || this.allowed.allows(hostname, address)) return;
    throw new OutgoingFault(
      "refused",
      "private addresses are blocked unless listed in SVC_ALLOWED_PRIVATE_TARGETS",
    );
  }

  /** Refuses (400) what would be refused at every delivery, whatever a name server says. */
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

/** As a resolver takes it: `[::1]` and `example.org.` are written so in URLs only. */
export function hostnameOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
}

/** These names are this machine to every resolver (RFC 6761). */
function isLocalhost(hostname: string): boolean {
  return hostname === "localhost" || hostname.endsWith(".localhost");
}
