import { describe, expect, it } from "bun:test";
import { outgoingUrl } from "./outgoing-url.ts";

describe("an address to send to", () => {
  it.each(["https://hooks.example.org/a?b=c", "http://exämple.org/", " https://hooks.example.org/ \n"])(
    "may be %j",
    address => {
      expect(outgoingUrl.parse(address)).toBe(address.trim());
    },
  );

  it.each([
    // The parser skips the line break: it is sent to 10.0.0.1.example.org.
    "http://10.0.0.1\n.example.org/",
    "http://10.0.0.1\t.example.org/",
    "https://example.org/\u202etxt",
    "https://example\u200b.org/",
    "https://example.org/\u2028a",
    "https://user:password@example.org/",
    "ftp://example.org/",
    "",
  ])("is not %j", address => {
    expect(outgoingUrl.safeParse(address).success).toBe(false);
  });
});
