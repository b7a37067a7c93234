import { describe, expect, it } from "bun:test";
import { ArmSums } from "../experiments/arm-sums.ts";
import { errorGuard } from "../experiments/error-guard.ts";
import { exceeds } from "../statistics/exceeds.ts";
import { guardsOf } from "./guards.ts";
import type { ComparedPair } from "./trial-row.ts";

describe("a guard of one percentage point", () => {
  const shares = Array.from({ length: 99 }, (_, percent) => percent);

  it("is not exceeded by one point, whatever the shares are", () => {
    for (const percent of shares) {
      expect(exceeds((percent + 1) / 100 - percent / 100, 0.01)).toBe(false);
      expect(exceeds((percent + 1) / 100 + 0.0001 - percent / 100, 0.01)).toBe(true);
    }
  });

  it("lets a verification hold without a warning, and an experiment be promoted", () => {
    for (const percent of shares) {
      const guards = guardsOf(pairsFailing(percent + 1), { calls: 100, errors: percent });
      expect(guards.error_rate.passes).toBe(true);
      const arms = { control: failing(percent * 100), treatment: failing((percent + 1) * 100) };
      expect(errorGuard(arms).passes).toBe(true);
    }
  });
});

function pairsFailing(failed: number): ComparedPair[] {
  const answer = { isFailed: false, latencyMs: 100, costMicrocents: null, servedModel: null };
  return Array.from({ length: 100 }, (_, at) => ({
    ...{ kind: "compared", recordedAtMs: 0, sessionId: null, category: "code", score: 0, grader: "equality" },
    production: answer,
    candidate: { ...answer, isFailed: at < failed },
  }));
}

/** That many of ten thousand calls. */
function failing(errors: number): ArmSums {
  const calls = 10_000;
  // One sample per call: their sum, squares, products and sizes.
  const [sum, size] = [BigInt(errors), BigInt(calls)];
  return new ArmSums(calls, calls, sum, sum, sum, size);
}
