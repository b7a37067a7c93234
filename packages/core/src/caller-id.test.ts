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
    "e\u0301", // not normalized: not the same as é
    " outer spaces ",
    "0",
    "x".repeat(256),
    "🦊".repeat(256),
  ])("GW-017 takes %j", id => {
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
    "a\u202eb", // turns the reading direction around
    "a\u200bb", // cannot be seen
    "a\u2028b",
    "a\ud800",
    "x".repeat(257),
    "🦊".repeat(257),
  ])("GW-017 refuses %j", id => {
    expect(isCallerId(id)).toBe(false);
  });
});
