/** An IP address as a number, so that ranges can be compared without a network library: `core` has no I/O. */
export interface IpAddress {
  readonly version: 4 | 6;
  readonly value: bigint;
}

export interface IpRange {
  readonly address: IpAddress;
  readonly prefixBits: number;
}

/** null: not an address. An IPv4 address written as IPv6 (`::ffff:10.0.0.1`) becomes the IPv4 address. */
export function parseIpAddress(text: string): IpAddress | null {
  const v4 = parseV4(text);
  if (v4 !== null) return { version: 4, value: v4 };
  const v6 = parseV6(text);
  if (v6 === null) return null;
  return v6 >> 32n === 0xffffn ? { version: 4, value: v6 & 0xffff_ffffn } : { version: 6, value: v6 };
}

/** `10.0.0.0/8`, or one address. null: neither. */
export function parseIpRange(text: string): IpRange | null {
  const [head = "", bits, ...more] = text.split("/");
  const address = parseIpAddress(head);
  if (address === null || more.length > 0) return null;
  const width = address.version === 4 ? 32 : 128;
  if (bits === undefined) return { address, prefixBits: width };
  // The prefix of a mapped IPv4 address counts from the start of the IPv6 one: reject it rather than misread it.
  if (address.version === 4 && head.includes(":")) return null;
  return /^\d{1,3}$/.test(bits) && Number(bits) <= width ? { address, prefixBits: Number(bits) } : null;
}

export function isInRange(address: IpAddress, range: IpRange): boolean {
  if (address.version !== range.address.version) return false;
  const ignoredBits = BigInt((address.version === 4 ? 32 : 128) - range.prefixBits);
  return address.value >> ignoredBits === range.address.value >> ignoredBits;
}

function parseV4(text: string): bigint | null {
  const parts = text.split(".");
  if (parts.length !== 4) return null;
  let value = 0n;
  for (const part of parts) {
    // No leading zero: some programs read `010` as 8, and two readings of one address could bypass a rule.
    if (!/^(0|[1-9]\d{0,2})$/.test(part) || Number(part) > 255) return null;
    value = (value << 8n) | BigInt(part);
  }
  return value;
}

function parseV6(text: string): bigint | null {
  // A zone (`fe80::1%eth0`) names an interface of one machine, not another address.
  const [plain = ""] = text.split("%");
  if (!/^[0-9a-f:.]*:[0-9a-f:.]*$/i.test(plain)) return null;
  // The URL parser accepts every notation, and normalizes it.
  const hostname = URL.parse(`http://[${plain}]`)?.hostname;
  if (hostname === undefined) return null;
  const [head = "", tail] = hostname.slice(1, -1).split("::");
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = Array<string>(8 - left.length - right.length).fill("0");
  return [...left, ...zeros, ...right].reduce((value, part) => (value << 16n) | BigInt(`0x${part}`), 0n);
}

/** The key for counting a client's failures. One customer may have 2^64 IPv6 addresses: they count as one network. */
export function networkOf(address: IpAddress, v6PrefixBits = 64): string {
  return address.version === 4
    ? `4:${address.value.toString(16)}`
    : `6:${(address.value >> BigInt(128 - v6PrefixBits)).toString(16)}/${v6PrefixBits}`;
}

/** As people write it; IPv6 in full, without leading zeros. */
export function formatIpAddress({ version, value }: IpAddress): string {
  const [parts, bits, radix, separator] = version === 4 ? [4, 8n, 10, "."] : [8, 16n, 16, ":"];
  const groups = Array.from({ length: parts }, (_, index) => {
    const shift = bits * BigInt(parts - 1 - index);
    return ((value >> shift) & ((1n << bits) - 1n)).toString(radix);
  });
  return groups.join(separator);
}
