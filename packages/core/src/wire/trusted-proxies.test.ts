import { describe, expect, it } from "bun:test";
import { parseIpAddress } from "./ip-address.ts";
import { TrustedProxies } from "./trusted-proxies.ts";

const proxies = TrustedProxies.parse(" 10.0.0.0/8, 127.0.0.1 ,2001:db8:aaaa::/48,");
const forwarded = (value?: string) => new Headers(value === undefined ? {} : { "x-forwarded-for": value });

describe("the client's address", () => {
  for (const [what, peer, header, expected] of [
    ["an untrusted peer, whatever its headers claim", "203.0.113.1", "198.51.100.1", "203.0.113.1"],
    ["an unnamed private peer", "192.168.1.5", "198.51.100.1", "192.168.1.5"],
    ["the address that a trusted proxy adds", "10.0.0.2", "198.51.100.1", "198.51.100.1"],
    [
      "the rightmost one: the client itself may have added the others",
      "10.0.0.2",
      "192.0.2.66, 198.51.100.1",
      "198.51.100.1",
    ],
    [
      "the first from the right behind a chain of trusted proxies",
      "127.0.0.1",
      "6.6.6.6, 198.51.100.1, 10.9.9.9,10.1.1.1",
      "198.51.100.1",
    ],
    ["the outermost proxy if all of them are trusted", "127.0.0.1", "10.0.0.9, 10.0.0.1", "10.0.0.9"],
    ["a trusted peer that adds nothing", "10.0.0.2", undefined, "10.0.0.2"],
    ["the last believable hop before nonsense", "127.0.0.1", "198.51.100.1, unknown, 10.0.0.1", "10.0.0.1"],
    ["a trusted peer in mapped form", "::ffff:10.0.0.2", "198.51.100.1", "198.51.100.1"],
    ["an address with a port", "10.0.0.2", "198.51.100.1:5123", "198.51.100.1"],
    ["an IPv6 address with a port", "10.0.0.2", "[2001:db8::7]:5123", "2001:db8::7"],
    [
      "an IPv6 client behind an IPv6 proxy",
      "2001:db8:aaaa::1",
      "2001:db8::7, 2001:db8:aaaa::2",
      "2001:db8::7",
    ],
  ] as const) {
    it(`SEC-009 is ${what}`, () => {
      expect(proxies.clientOf(forwarded(header), peer)).toEqual(parseIpAddress(expected));
    });
  }

  it("SEC-009 is the peer if no proxy is configured, even on loopback and private networks", () => {
    for (const peer of ["127.0.0.1", "::1", "10.0.0.1", "172.17.0.1", "192.168.0.1", "fd00::1"]) {
      expect(TrustedProxies.none.clientOf(forwarded("198.51.100.1"), peer)).toEqual(parseIpAddress(peer));
    }
  });

  it("is unknown if the peer is", () => {
    expect(proxies.clientOf(forwarded("198.51.100.1"), null)).toBeNull();
  });
});

describe("a program on this machine", () => {
  const isLocal = (peer: string | null, headers: Record<string, string>, known = TrustedProxies.none) =>
    known.isLocal(new Headers({ host: "127.0.0.1:3000", ...headers }), peer);

  it("SEC-009 connects over loopback, with a loopback host name, without a proxy in between", () => {
    for (const peer of ["127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1"]) {
      for (const host of ["127.0.0.1:3000", "localhost:3000", "LOCALHOST", "[::1]:3000"]) {
        expect([peer, host, isLocal(peer, { host })]).toEqual([peer, host, true]);
      }
    }
    for (const peer of [
      "10.0.0.1",
      "192.168.1.5",
      "::ffff:10.0.0.1",
      "2001:db8::1",
      "1270.0.0.1",
      "",
      null,
    ]) {
      expect([peer, isLocal(peer, {})]).toEqual([peer, false]);
    }
  });

  for (const name of ["x-forwarded-for", "forwarded", "x-real-ip", "x-forwarded-host", "via"]) {
    it(`SEC-009 does not come through a proxy: ${name}`, () => {
      expect(isLocal("127.0.0.1", { [name]: "127.0.0.1" })).toBe(false);
    });
  }

  it("SEC-009 is not a configured proxy, even if it adds no header", () => {
    expect(isLocal("127.0.0.1", {}, proxies)).toBe(false);
    expect(isLocal("::1", {}, proxies)).toBe(true);
  });

  for (const host of ["evil.example", "evil.example:3000", "localhost.evil.example", "10.0.0.1", "", ":"]) {
    it(`SEC-009 is not a page whose host name resolves here: Host ${JSON.stringify(host)}`, () => {
      expect(isLocal("127.0.0.1", { host })).toBe(false);
    });
  }
  it("SEC-009 sends a Host header", () => {
    expect(TrustedProxies.none.isLocal(new Headers(), "127.0.0.1")).toBe(false);
  });
});

for (const text of ["10.0.0.0/33", "proxy.internal", "127.0.0.1;::1", "10.0.0.1 10.0.0.2"]) {
  it(`rejects the setting ${text}, without quoting it`, () => {
    expect(() => TrustedProxies.parse(text)).toThrow(
      /^must list addresses or ranges such as 10\.0\.0\.0\/8$/,
    );
  });
}
