import { describe, expect, it } from "bun:test";
import { isCallerId } from "./caller-id.ts";

describe("ids of agents, sessions and customers", () => {
  it.each([
    "auth0|5f7c8ec7c33c6c004bbafe82",
    "jane+test@example.com",
    "team#7",
    "Acme Corp, Inc.",
    `<b>"quoted" 'id' \\ 100%</b>`,
    "=SUM(A1)",
    "Zoë Müller",
    "日本語",
    "🦊",
    "e\u0301", // not normalized: different from é
    " outer spaces ",
    "I \u2764\ufe0f it", // an emoji by its variation selector
    "\u2800\u283f", // braille patterns
    "\ue000", // private use: visible in its owner's font
    "0",
    "x".repeat(256),
    "🦊".repeat(256),
    "\u2764\ufe0f".repeat(128),
  ])("GW-017 accepts %j", id => {
    expect(isCallerId(id)).toBe(true);
  });

  it.each([
    "",
    " ",
    "\u00a0",
    "a\tb",
    "a\nb",
    "a\u0000b",
    "a\u001b[31m",
    "a\u007f",
    "a\u0085b",
    "a\u202eb", // reverses the reading direction
    "a\u200bb", // invisible
    "a\u2028b",
    "\u3164", // Hangul fillers
    "a\u115fb",
    "a\u1160b",
    "a\u17b4b", // Khmer vowels without a glyph
    "a\u17b5b",
    "a\u034fb", // joins graphemes
    "a\ufe0f", // a variation selector without effect
    "\u2764\ufe0f\ufe0f",
    "🦊\ufe0f",
    "a\u{e0100}",
    "\u2800", // empty braille pattern
    " \u2800\u3000",
    "a\uffff", // noncharacters
    "a\ufdd0",
    "a\u{1fffe}",
    "a\u0378", // unassigned
    "a\ud800",
    "x".repeat(257),
    "🦊".repeat(257),
    "\u2764\ufe0f".repeat(129),
  ])("GW-017 rejects %j", id => {
    expect(isCallerId(id)).toBe(false);
  });
});
