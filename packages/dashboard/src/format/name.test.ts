import { describe, expect, it } from "bun:test";
import { plainName, shortName, splitName } from "./name.ts";

it("DASH-008 a name loses what would disguise it, and keeps what it says", () => {
  expect(plainName("wri\u202eter\u200b\n2")).toBe("writer 2");
  expect(plainName("<img src=x onerror=alert(1)>")).toBe("<img src=x onerror=alert(1)>");
  expect(plainName(" \u200b ")).toBe("(no name)");
  expect(shortName("x".repeat(100), 10)).toBe(`${"x".repeat(9)}…`);
});

describe("the parts of a name that is cut in the middle", () => {
  it.each([
    ["a short name", "support-bot", ["support-bot", ""]],
    ["a long name", "customer-support-eu-west-1", ["customer-support-e", "u-west-1"]],
    [
      "a letter of several code points",
      `${"x".repeat(20)}e\u0301-12345a`,
      ["x".repeat(20), "e\u0301-12345a"],
    ],
    ["right to left", "support-agent-العربية-and-more", ["support-agent-العربية-and-more", ""]],
  ])("%s", (_, name, parts) => expect([...splitName(name)]).toEqual(parts));
});
