import { BlockList, isIP } from "node:net";
import { unmapped } from "./private-addresses.ts";

/** Private targets that the operator allows: host names, addresses or ranges. */
export interface AllowedTargets {
  allows(hostname: string, address: string): boolean;
}

/** Throws a message that gives the entry's number only: an invalid entry may be a misplaced secret. */
export function parseAllowedTargets(text: string): AllowedTargets {
  const names = new Set<string>();
  const addresses = new BlockList();
  for (const [index, part] of text.split(",").entries()) {
    const entry = part.trim().toLowerCase();
    if (entry === "") continue;
    const [start = "", bits, ...more] = entry.split("/");
    const version = isIP(start);
    if (version === 0) {
      if (bits !== undefined || !/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(entry)) {
        throw new Error(`entry ${index + 1} is neither a host name nor an address or range`);
      }
      names.add(entry);
      continue;
    }
    const family = version === 4 ? "ipv4" : "ipv6";
    const most = version === 4 ? 32 : 128;
    const length = bits === undefined ? most : Number(bits);
    if (more.length > 0 || !/^\d{1,3}$/.test(bits ?? "0") || length > most) {
      throw new Error(`entry ${index + 1} is not a range of addresses`);
    }
    addresses.addSubnet(start, length, family);
  }
  return {
    allows(hostname, address) {
      const plain = unmapped(address);
      const family = isIP(plain) === 6 ? "ipv6" : "ipv4";
      return names.has(hostname.toLowerCase()) || (isIP(plain) !== 0 && addresses.check(plain, family));
    },
  };
}
