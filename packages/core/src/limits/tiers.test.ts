import { describe, expect, it } from "bun:test";
import { isTier, limitsOf, lowestTierAllowing, type TierLimits, tierNames, tiers } from "./tiers.ts";

const none = { burstPerMinute: null, monthlyCalls: null };
const unlimited = Number.POSITIVE_INFINITY;
const included = (
  ...[agents, monthlyCalls, burstPerMinute, historyDays, budgets]: [number, number, number, number, number]
): TierLimits => ({ agents, monthlyCalls, burstPerMinute, historyDays, budgets });

describe("tiers", () => {
  it("LIM-001 starter: 3 agents, 10,000 calls a month, 10 a minute, 7 days, 1 budget", () => {
    expect(limitsOf("starter", none)).toEqual(included(3, 10_000, 10, 7, 1));
  });

  it("LIM-002 lite: 10 agents, 50,000 calls a month, 100 a minute, 30 days, 3 budgets", () => {
    expect(limitsOf("lite", none)).toEqual(included(10, 50_000, 100, 30, 3));
  });

  it("LIM-003 pro: any number of agents, 100,000 calls a month, 500 a minute, 90 days, 10 budgets", () => {
    expect(limitsOf("pro", none)).toEqual(included(unlimited, 100_000, 500, 90, 10));
  });

  it("LIM-004 enterprise: agents, calls and history without limit, 10,000 a minute, 100 budgets", () => {
    expect(limitsOf("enterprise", none)).toEqual(included(unlimited, unlimited, 10_000, unlimited, 100));
  });

  it("LIM-005 custom limits replace enterprise's numbers, individually", () => {
    expect(limitsOf("enterprise", { burstPerMinute: 7, monthlyCalls: null })).toEqual({
      ...tiers.enterprise,
      burstPerMinute: 7,
    });
    expect(limitsOf("enterprise", { burstPerMinute: null, monthlyCalls: 0 })).toEqual({
      ...tiers.enterprise,
      monthlyCalls: 0,
    });
  });

  it("LIM-016 custom limits have no effect below enterprise, for example after a downgrade", () => {
    for (const tier of ["starter", "lite", "pro"] as const) {
      expect(limitsOf(tier, { burstPerMinute: 99_999, monthlyCalls: 1 })).toEqual(tiers[tier]);
    }
  });

  for (const [agents, tier] of [
    [1, "starter"],
    [3, "starter"],
    [4, "lite"],
    [10, "lite"],
    [11, "pro"],
    [1_000_000, "pro"],
  ] as const) {
    it(`needs ${tier} for ${agents} agents`, () => {
      expect(lowestTierAllowing("agents", agents)).toBe(tier);
    });
  }

  it("names enterprise even if it is not enough", () => {
    expect(lowestTierAllowing("budgets", 101)).toBe("enterprise");
  });

  it("writes tier names in lower case", () => {
    expect(tierNames.every(isTier)).toBe(true);
    expect(["Lite", "free", "", "constructor"].some(isTier)).toBe(false);
  });
});
