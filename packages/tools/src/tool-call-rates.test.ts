import { describe, expect, it } from "bun:test";
import { CALLS_PER_MINUTE, ToolCallRates } from "./tool-call-rates.ts";

describe("ToolCallRates", () => {
  it("admits sixty calls of one tool in any minute, and returns the seconds until the next", () => {
    let now = 1_000_000;
    const rates = new ToolCallRates(() => now);
    for (let call = 0; call < CALLS_PER_MINUTE; call++) {
      expect(rates.admit("key", "tool")).toBeNull();
      now += 100;
    }
    // The first call was at 1,000,000 and leaves a minute later; six seconds have passed.
    expect(rates.admit("key", "tool")).toBe(54);
    now = 1_059_999;
    expect(rates.admit("key", "tool")).toBe(1);
    now = 1_060_000;
    expect(rates.admit("key", "tool")).toBeNull();
    expect(rates.admit("key", "tool")).toBe(1);
  });

  it("counts tools and keys separately", () => {
    const rates = new ToolCallRates(() => 0);
    for (let call = 0; call < CALLS_PER_MINUTE; call++) rates.admit("key", "tool");
    expect(rates.admit("key", "tool")).not.toBeNull();
    expect(rates.admit("key", "other")).toBeNull();
    expect(rates.admit("other", "tool")).toBeNull();
  });

  it("keeps counting after it has dropped unused windows", () => {
    let now = 0;
    const rates = new ToolCallRates(() => now);
    for (let key = 0; key < 10_000; key++) rates.admit(`${key}`, "tool");
    now = 120_000;
    for (let call = 0; call < CALLS_PER_MINUTE; call++) expect(rates.admit("key", "tool")).toBeNull();
    expect(rates.admit("key", "tool")).not.toBeNull();
  });
});
