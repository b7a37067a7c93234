import { describe, expect, it } from "bun:test";
import fc from "fast-check";
import { seeded } from "../../../../test/support/simulations/simulated-fleet.ts";
import { HOUR_MS } from "../time/durations.ts";
import { projectBurn } from "./project-burn.ts";

describe("the burn of a period", () => {
  it("has a probability between 0 and 1, and a higher limit lasts longer with a higher probability", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 1_000_000 }), { minLength: 5, maxLength: 24 }),
        fc.integer({ min: 1, max: 10_000_000 }),
        fc.integer({ min: 1, max: 10_000_000 }),
        (units, left, more) => {
          const course = { spent: 10, units, unitMs: HOUR_MS, nowMs: 0, endsAtMs: 12 * HOUR_MS };
          const low = projectBurn({ ...course, limit: 10 + left });
          const high = projectBurn({ ...course, limit: 10 + left + more });
          for (const { p, exhaustsAtMs: exhaustsAt, earliest, latest } of [low, high]) {
            expect(p).toBeGreaterThanOrEqual(0);
            expect(p).toBeLessThanOrEqual(1);
            expect(earliest).toBeLessThanOrEqual(exhaustsAt ?? course.endsAtMs);
            expect(latest ?? course.endsAtMs).toBeGreaterThanOrEqual(exhaustsAt ?? course.endsAtMs);
          }
          expect(high.p).toBeGreaterThanOrEqual(low.p);
          expect(high.exhaustsAtMs ?? course.endsAtMs).toBeGreaterThanOrEqual(
            low.exhaustsAtMs ?? course.endsAtMs,
          );
        },
      ),
    );
  });

  it("predicts false exhaustions no more often than its p value allows", () => {
    const random = seeded(4);
    // Skewed like costs: the square of a uniform variable.
    const unit = () => 1000 * (0.2 + 3 * random() ** 2);
    const periods = 4000;
    let wrong = 0;
    let predicted = 0;
    for (let period = 0; period < periods; period++) {
      const whole = Array.from({ length: 24 }, unit);
      const units = whole.slice(0, 10);
      const limit = 24 * 1200 * (0.8 + 0.4 * random());
      const spent = units.reduce((sum, one) => sum + one, 0);
      if (spent >= limit) continue;
      const { p } = projectBurn({
        spent,
        limit,
        units,
        unitMs: HOUR_MS,
        nowMs: 10 * HOUR_MS,
        endsAtMs: 24 * HOUR_MS,
      });
      if (p > 0.05) continue;
      predicted++;
      if (whole.reduce((sum, one) => sum + one, 0) < limit) wrong++;
    }
    console.log(
      `of ${periods} simulated periods ${predicted} were predicted to end early, ${wrong} of them wrongly`,
    );
    expect(predicted).toBeGreaterThan(periods / 20);
    expect(wrong / predicted).toBeLessThanOrEqual(0.05);
  });
});
