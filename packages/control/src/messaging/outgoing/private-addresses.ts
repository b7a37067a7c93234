import { BlockList, isIPv4, isIPv6 } from "node:net";

/** Every range outside the public internet: users must not reach those through us. */
const ranges: readonly (readonly [string, number, "ipv4" | "ipv6"])[] = [
  ["0.0.0.0", 8, "ipv4"],
  ["10.0.0.0", 8, "ipv4"],
  ["100.64.0.0", 10, "ipv4"], // carrier-grade NAT
  ["127.0.0.0", 8, "ipv4"],
  ["169.254.0.0", 16, "ipv4"], // link-local: cloud metadata services hand out secrets at 169.254.169.254
  ["168.63.129.16", 32, "ipv4"], // Azure's host, which answers every virtual machine
  ["172.16.0.0", 12, "ipv4"],
  ["192.0.0.0", 24, "ipv4"],
  ["192.0.2.0", 24, "ipv4"],
  ["192.88.99.0", 24, "ipv4"],
  ["192.168.0.0", 16, "ipv4"],
  ["198.18.0.0", 15, "ipv4"],
  ["198.51.100.0", 24, "ipv4"],
  ["203.0.113.0", 24, "ipv4"],
  ["224.0.0.0", 4, "ipv4"],
  ["240.0.0.0", 4, "ipv4"],
  ["::", 96, "ipv6"], // unspecified, loopback, IPv4-compatible
  ["64:ff9b::", 96, "ipv6"], // NAT64
  ["64:ff9b:1::", 48, "ipv6"],
  ["100::", 64, "ipv6"],
  ["2001::", 23, "ipv6"],
  ["2001:db8::", 32, "ipv6"],
  ["2002::", 16, "ipv6"], // 6to4: an IPv4 address inside
  ["3fff::", 20, "ipv6"],
  ["5f00::", 16, "ipv6"],
  ["fc00::", 7, "ipv6"],
  ["fe80::", 10, "ipv6"],
  ["fec0::", 10, "ipv6"],
  ["ff00::", 8, "ipv6"],
];

const notPublic = new BlockList();
for (const [address, bits, family] of ranges) notPublic.addSubnet(address, bits, family);

/** Also true for text that is not an address: the caller is about to connect. */
export function isPrivateAddress(address: string): boolean {
  const plain = unmapped(address);
  if (isIPv4(plain)) return notPublic.check(plain, "ipv4");
  if (isIPv6(plain)) return notPublic.check(plain, "ipv6");
  return true;
}

/** The operating system treats `::ffff:127.0.0.1` and `::ffff:7f00:1` as 127.0.0.1. */
export function unmapped(address: string): string {
  const bare = address.replace(/^\[|\]$/g, "").replace(/%.*$/, "");
  const dotted = /^::ffff:(?:0:)?(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)?.[1];
  if (dotted) return dotted;
  const hex = /^::ffff:(?:0:)?([0-9a-f]{1,4}):([0-9a-f]{1,4})$/i.exec(bare);
  if (!hex?.[1] || !hex[2]) return bare;
  const [high, low] = [Number.parseInt(hex[1], 16), Number.parseInt(hex[2], 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}
