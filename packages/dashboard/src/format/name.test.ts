import { expect, it } from "bun:test";
import { plainName, shortName } from "./name.ts";

it("DASH-008 a name loses what would disguise it, and keeps what it says", () => {
  expect(plainName("wri\u202eter\u200b\n2")).toBe("writer 2");
  expect(plainName("<img src=x onerror=alert(1)>")).toBe("<img src=x onerror=alert(1)>");
  expect(plainName(" \u200b ")).toBe("(no name)");
  expect(shortName("x".repeat(100), 10)).toBe(`${"x".repeat(9)}…`);
});
