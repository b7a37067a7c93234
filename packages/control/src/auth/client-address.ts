import { BlockList, isIP } from "node:net";

const near = new BlockList();
near.addSubnet("127.0.0.0", 8);
near.addSubnet("10.0.0.0", 8);
near.addSubnet("172.16.0.0", 12);
near.addSubnet("192.168.0.0", 16);
near.addAddress("::1", "ipv6");
near.addSubnet("fc00::", 7, "ipv6");
near.addSubnet("fe80::", 10, "ipv6");

/**
 * Who to count failures for. Behind a proxy of one's own every peer is the proxy, and one attacker would lock
 * everybody out: so a near peer is believed in the last address it adds. A far one is not: it could name anybody.
 */
export function clientAddress(request: Request, peer: string | null): string | null {
  if (peer === null) return null;
  const plain = peer.replace(/^::ffff:(?=\d+\.)/i, "");
  const version = isIP(plain);
  if (version === 0 || !near.check(plain, version === 6 ? "ipv6" : "ipv4")) return networkOf(plain);
  const forwarded = request.headers.get("x-forwarded-for")?.split(",").at(-1)?.trim() ?? "";
  return networkOf(isIP(forwarded) === 0 ? plain : forwarded);
}

/** One customer's line has 2^64 IPv6 addresses: they count as one. */
function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const { hostname } = new URL(`http://[${address.split("%")[0]}]`);
  const [head = "", tail = ""] = hostname.slice(1, -1).split("::");
  const left = head === "" ? [] : head.split(":");
  const right = tail === "" ? [] : tail.split(":");
  const zeros = hostname.includes("::") ? Array<string>(8 - left.length - right.length).fill("0") : [];
  return `${[...left, ...zeros, ...right].slice(0, 4).join(":")}::/64`;
}
