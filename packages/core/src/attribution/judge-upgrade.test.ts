import { describe, expect, it } from "bun:test";
import { judgeUpgrade } from "./judge-upgrade.ts";

const little = { agents: 1, budgets: 0, monthlyCalls: 10, projectedMonthlyCalls: 20, historyDays: 7 };

describe("whether a higher tier is worth it", () => {
  it.each([
    ["starter", little, null],
    ["starter", { ...little, agents: 3 }, "lite"],
    ["starter", { ...little, projectedMonthlyCalls: 50_000 }, "pro"],
    // The passage of time alone justifies no higher tier.
    ["starter", { ...little, historyDays: 90 }, null],
    ["starter", { ...little, historyDays: 90, agents: 3 }, "lite"],
    ["lite", little, null],
    ["lite", { ...little, budgets: 3 }, "pro"],
    ["lite", { ...little, budgets: 10 }, "enterprise"],
    ["pro", { ...little, projectedMonthlyCalls: 1_000_000 }, "enterprise"],
    ["enterprise", { ...little, agents: 100_000 }, null],
  ] as const)("ROI-007 %s with %p is advised %p", (tier, use, advised) => {
    expect(judgeUpgrade(tier, use).recommendedTier).toBe(advised);
  });

  it("ROI-007 states how much of the history the tier shows, but not as a reason", () => {
    const verdict = judgeUpgrade("starter", { ...little, historyDays: 90 });
    expect(verdict.limits.find(({ limit }) => limit === "history_days")).toMatchObject({
      used: 90,
      is_reached: true,
    });
    expect(verdict.reasons).toEqual([]);
  });

  it("ROI-007 names the limit that is nearly used up, and the next tier's limit", () => {
    const verdict = judgeUpgrade("starter", { ...little, agents: 3 });
    expect(verdict.limits.find(({ limit }) => limit === "agents")).toEqual({
      limit: "agents",
      used: 3,
      allowed: 3,
      allowed_after: 10,
      is_reached: true,
    });
    expect(verdict.reasons).toEqual(["Agents: 3 of 3"]);
    expect(verdict.unlocked).toContain("10 agents instead of 3");
  });
});
