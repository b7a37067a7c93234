import { describe, expect, it } from "bun:test";
import { outcomeValueOf } from "./outcome-value-of.ts";

describe("the value of outcomes", () => {
  it("is in microcents, refunds included, failed ones worth nothing", () => {
    expect(
      outcomeValueOf([
        { success: true, value_cents: 500 },
        { success: null, value_cents: -100 },
        { success: false, value_cents: 900 },
      ]),
    ).toBe(40_000_000);
  });

  it("is unknown without a value", () => {
    expect(outcomeValueOf([])).toBeNull();
    expect(outcomeValueOf([{ success: true, value_cents: null }])).toBeNull();
  });
});
