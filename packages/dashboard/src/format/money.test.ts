import { describe, expect, it } from "bun:test";
import { decimalDollars, dollars, exactMicrocents, fullDollars } from "./money.ts";

describe("an amount", () => {
  it.each([
    [0, "$0.00"],
    [242, "$0.0000242"],
    [123_456_789, "$12.35"],
    [-30_000_000, "-$3.00"],
    [12_345_678_900_000, "$1,234,567.89"],
  ])("of %d microcents as a sum is %s", (microcents, text) => {
    expect(dollars(microcents)).toBe(text);
  });

  it.each([
    [242, "$0.0000242"],
    [123_456_789, "$12.3456789"],
    [10_000_000_000, "$1,000.00"],
  ])("of %d microcents in full is %s", (microcents, text) => {
    expect(fullDollars(microcents)).toBe(text);
  });

  it.each([
    ["2.5", "$0.00000025"],
    ["1500000000", "$150.00"],
    ["-0.5", "-$0.00000005"],
    ["12345678901234.5", "$1,234,567.89012345"],
  ])("of %s microcents, unrounded, is %s", (microcents, text) => {
    expect(decimalDollars(microcents)).toBe(text);
  });

  it("DASH-005 that is not known is a dash, not a zero", () => {
    expect([dollars(null), dollars(undefined), fullDollars(null), decimalDollars(null)]).toEqual(
      Array(4).fill("–"),
    );
  });

  it("has its exact microcents for hovering", () => {
    expect(exactMicrocents(123_456_789)).toBe("$12.3456789 exactly (123,456,789 microcents)");
    expect(exactMicrocents(1)).toBe("$0.0000001 exactly (1 microcent)");
  });
});
