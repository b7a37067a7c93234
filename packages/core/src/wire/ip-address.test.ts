import { describe, expect, it } from "bun:test";
import { isInRange, networkOf, parseIpAddress, parseIpRange } from "./ip-address.ts";

describe("parseIpAddress", () => {
  for (const [one, other] of [
    ["10.0.0.1", "::ffff:10.0.0.1"],
    ["10.0.0.1", "::FFFF:a00:1"],
    ["2001:db8::1", "2001:0DB8:0:0:0:0:0:1"],
    ["::", "0:0:0:0:0:0:0:0"],
    ["fe80::1", "fe80::1%eth0"],
    ["64:ff9b::1.2.3.4", "64:ff9b::102:304"],
  ] as const) {
    it(`reads ${one} and ${other} as one address`, () => {
      expect(parseIpAddress(one)).not.toBeNull();
      expect(parseIpAddress(one)).toEqual(parseIpAddress(other));
    });
  }

  for (const text of ["", "1.2.3", "1.2.3.4.5", "1.2.3.256", "01.2.3.4", "0x7f.1", "2130706433", "unknown"]) {
    it(`does not read ${JSON.stringify(text)}`, () => expect(parseIpAddress(text)).toBeNull());
  }
  for (const text of [":", "1::2::3", "g::1", "[::1]", "1:2:3:4:5:6:7:8:9", "::1/64", "::1]@x"]) {
    it(`does not read ${JSON.stringify(text)}`, () => expect(parseIpAddress(text)).toBeNull());
  }
});

describe("parseIpRange", () => {
  const contains = (range: string, address: string) => {
    const [parsedRange, parsedAddress] = [parseIpRange(range), parseIpAddress(address)];
    if (parsedRange === null || parsedAddress === null) throw new Error("not an address");
    return isInRange(parsedAddress, parsedRange);
  };
  for (const [range, inside, outside] of [
    ["10.0.0.0/8", "10.255.1.2", "11.0.0.0"],
    ["192.0.2.7", "192.0.2.7", "192.0.2.8"],
    ["192.0.2.4/30", "::ffff:192.0.2.7", "192.0.2.8"],
    ["0.0.0.0/0", "203.0.113.1", "::1"],
    ["2001:db8::/32", "2001:db8:ffff::1", "2001:db9::"],
    ["::1", "::1", "127.0.0.1"],
    ["fc00::/7", "fd12::1", "fe80::1"],
  ] as const) {
    it(`${range} contains ${inside}, but not ${outside}`, () => {
      expect([contains(range, inside), contains(range, outside)]).toEqual([true, false]);
    });
  }
  for (const text of [
    "10.0.0.0/33",
    "::/129",
    "10.0.0.0/",
    "10.0.0.0/x",
    "10.0.0.0/8/8",
    "::ffff:10.0.0.0/104",
  ]) {
    it(`rejects ${text}`, () => expect(parseIpRange(text)).toBeNull());
  }
});

it("counts a customer's IPv6 addresses as one network", () => {
  const network = (text: string, v6PrefixBits?: number) => {
    const address = parseIpAddress(text);
    return address && networkOf(address, v6PrefixBits);
  };
  expect(network("2001:db8:1:2:3:4:5:6")).toBe(network("2001:db8:1:2::9"));
  expect(network("2001:db8:1:2::9")).not.toBe(network("2001:db8:1:3::9"));
  expect(network("192.0.2.1")).not.toBe(network("192.0.2.2"));
  expect(network("192.0.2.1")).not.toBe(network("::c000:201"));
  expect(network("2001:db8:1:2::9", 48)).toBe(network("2001:db8:1:3::9", 48));
  expect(network("2001:db8:1:2::9", 48)).not.toBe(network("2001:db8:2:2::9", 48));
  expect(network("2001:db8:1::", 48)).not.toBe(network("0:2001:db8:1::", 64));
});
