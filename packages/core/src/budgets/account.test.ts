import { describe, expect, it } from "bun:test";
import fc from "fast-check";
import { microcents } from "../money/money.ts";
import { BudgetAccount, MIN_HEADROOM } from "./account.ts";
import { sure } from "./expectation.ts";

const spend = (settled: number, withheld = 0) => ({
  settledMicrocents: microcents(settled),
  withheldMicrocents: microcents(withheld),
});
const account = (settled = 0, withheld = 0) => new BudgetAccount(0, 0, 1000, spend(settled, withheld));
const limit = microcents(100);

describe("headroom of a budget", () => {
  for (const [settled, reserved, need, room] of [
    [0, 0, 1, "free"],
    [99, 0, 1, "free"],
    [100, 0, 1, "none"],
    [99, 1, 1, "reserved"],
    [0, 100, 1, "reserved"],
    [0, 500, 1, "reserved"],
    [100, 500, 1, "none"],
    [60, 0, 40, "free"],
    [60, 1, 40, "reserved"],
    [61, 0, 40, "none"],
  ] as const) {
    it(`BUD-016 with ${settled} settled and ${reserved} reserved of 100, a call that needs ${need} finds: ${room}`, () => {
      const tried = account(settled);
      tried.reserve(sure(microcents(reserved)));
      expect(tried.headroom(limit, microcents(need))).toBe(room);
    });
  }

  it("BUD-022 counts withheld amounts as unavailable until the period ends, but not as spent", () => {
    const tried = account(40, 30);
    tried.withhold(microcents(20));
    expect([tried.settledMicrocents, tried.withheldMicrocents, tried.headroomMicrocents(limit)]).toEqual(
      [40, 50, 10].map(microcents),
    );
    expect([tried.headroom(limit, microcents(10)), tried.headroom(limit, microcents(11))]).toEqual([
      "free",
      "none",
    ]);
  });

  it("belongs to one period and one start", () => {
    const tried = new BudgetAccount(5, 100, 200, spend(0));
    expect([tried.covers(5, 100), tried.covers(5, 199)]).toEqual([true, true]);
    expect([tried.covers(5, 200), tried.covers(5, 99), tried.covers(6, 150)]).toEqual([false, false, false]);
  });
});

type Step = { readonly estimate: number; readonly share: number; readonly settleFirst: number };

const steps = fc.array(
  fc.record({
    estimate: fc.integer({ min: 0, max: 50 }),
    share: fc.integer({ min: 0, max: 100 }),
    settleFirst: fc.integer({ min: 0, max: 3 }),
  }),
  { maxLength: 60 },
);

/** Calls start and end in any order; each costs a fraction of its estimate. */
function run(plan: readonly Step[], needOf: (estimate: number) => number) {
  const tried = account();
  const underWay: { estimate: number; cost: number }[] = [];
  let largest = 0;
  let highest = 0;
  const settle = (position: number) => {
    const [ended] = underWay.splice(position % underWay.length, 1);
    if (!ended) return;
    tried.release(sure(microcents(ended.estimate)));
    tried.settle(microcents(ended.cost));
  };
  for (const { estimate, share, settleFirst } of plan) {
    for (let count = 0; count < settleFirst && underWay.length > 0; count++) settle(share);
    if (tried.headroom(limit, microcents(needOf(estimate))) !== "free") continue;
    tried.reserve(sure(microcents(estimate)));
    underWay.push({ estimate, cost: Math.floor((estimate * share) / 100) });
    largest = Math.max(largest, estimate);
    highest = Math.max(highest, tried.settledMicrocents + tried.reservedMicrocents);
  }
  while (underWay.length > 0) settle(0);
  return { settled: tried.settledMicrocents, reserved: tried.reservedMicrocents, largest, highest };
}

describe("any thousand interleavings of calls within their estimates", () => {
  it("REL-001 BUD-016 never exceed the limit by a whole estimate, and leave nothing reserved", () => {
    fc.assert(
      fc.property(steps, plan => {
        const { settled, reserved, largest, highest } = run(plan, () => MIN_HEADROOM);
        expect(reserved).toBe(microcents(0));
        if (largest > 0) expect(highest).toBeLessThan(limit + largest);
        if (largest > 0) expect(settled).toBeLessThan(limit + largest);
      }),
      { numRuns: 1000 },
    );
  });

  it("REL-001 BUD-017 never exceed the limit if the whole estimate must fit", () => {
    fc.assert(
      fc.property(steps, plan => {
        const { reserved, highest } = run(plan, estimate => Math.max(1, estimate));
        expect(reserved).toBe(microcents(0));
        expect(highest).toBeLessThanOrEqual(limit);
      }),
      { numRuns: 1000 },
    );
  });
});

describe("sums beyond the exact range of a number", () => {
  it("saturate, and do not fail calls", () => {
    const tried = account();
    const most = microcents(Number.MAX_SAFE_INTEGER);
    for (let count = 0; count < 3; count++) tried.settle(most);
    tried.reserve(sure(most));
    tried.reserve(sure(most));
    expect([tried.settledMicrocents, tried.reservedMicrocents, tried.headroom(limit, MIN_HEADROOM)]).toEqual([
      most,
      most,
      "none",
    ]);
    tried.release(sure(most));
    tried.release(sure(most));
    expect(tried.reservedMicrocents).toBe(microcents(0));
  });
});

describe("the expected total cost of calls in flight", () => {
  const call = { meanMicrocents: microcents(100), spreadMicrocents: 100 };

  it("BUD-016 is the mean plus a margin for one call, and less than the sum of margins for many", () => {
    const one = account();
    one.reserve(call);
    expect(one.reservedMicrocents).toBe(microcents(265));
    const many = account();
    for (let count = 0; count < 100; count++) many.reserve(call);
    expect(many.reservedMicrocents).toBe(microcents(100 * 100 + 1645));
  });

  it("BUD-016 returns to zero when all have ended, in any order", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            mean: fc.integer({ min: 0, max: 1e6 }),
            spread: fc.double({ min: 0, max: 1e6, noNaN: true }),
          }),
          {
            maxLength: 30,
          },
        ),
        calls => {
          const tried = account();
          const expectations = calls.map(({ mean, spread }) => ({
            meanMicrocents: microcents(mean),
            spreadMicrocents: spread,
          }));
          for (const expected of expectations) tried.reserve(expected);
          for (const expected of expectations.reverse()) tried.release(expected);
          expect(tried.reservedMicrocents).toBe(microcents(0));
        },
      ),
    );
  });
});
