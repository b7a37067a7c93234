import { describe, expect, it } from "bun:test";
import { clientAddress } from "./client-address.ts";

const of = (peer: string | null, forwarded?: string) =>
  clientAddress(
    new Request("http://x/", forwarded === undefined ? {} : { headers: { "x-forwarded-for": forwarded } }),
    peer,
  );

describe("clientAddress", () => {
  for (const [what, peer, forwarded, expected] of [
    ["a far peer, whatever it says of others", "203.0.113.1", "198.51.100.1", "203.0.113.1"],
    ["the last address that a near proxy adds", "10.0.0.2", "192.0.2.66, 198.51.100.1", "198.51.100.1"],
    ["a proxy on loopback", "127.0.0.1", "198.51.100.1", "198.51.100.1"],
    ["a proxy on a mapped loopback", "::ffff:127.0.0.1", "198.51.100.1", "198.51.100.1"],
    ["a near peer that says nothing", "192.168.1.5", undefined, "192.168.1.5"],
    ["a near peer that says nonsense", "192.168.1.5", "unknown", "192.168.1.5"],
    ["an IPv6 line by its network", "2001:db8:1:2:3:4:5:6", undefined, "2001:db8:1:2::/64"],
    ["a short IPv6 address by its network", "2001:db8::1", undefined, "2001:db8:0:0::/64"],
    ["a forwarded IPv6 address by its network", "::1", "2001:db8:1:2:ffff::9", "2001:db8:1:2::/64"],
    ["nobody", null, "198.51.100.1", null],
  ] as const) {
    it(`is ${what}`, () => expect(of(peer, forwarded)).toBe(expected));
  }
});
