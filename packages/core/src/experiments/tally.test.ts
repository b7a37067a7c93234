import { describe, expect, it } from "bun:test";
import fc from "fast-check";
import { ArmSums, type SessionSums } from "./arm-sums.ts";
import { primaryMetrics } from "./experiment.ts";
import { LatencyCounts } from "./latency-counts.ts";
import { SequentialTest } from "./sequential-test.ts";
import { emptyArms } from "./stored-arms.ts";
import { EMPTY_SESSION, type SessionTally, Tally } from "./tally.ts";

const samples = fc.array(
  fc.record({ x: fc.integer({ min: 0, max: 1_000_000_000 }), session: fc.integer({ min: 0, max: 9 }) }),
  { minLength: 2, maxLength: 60 },
);

describe("sums of an arm", () => {
  it("have the mean and variance of the samples, by session", () => {
    fc.assert(
      fc.property(samples, list => {
        const sums = new ArmSums();
        const sessions = new Map<number, SessionSums>();
        for (const { x, session } of list) {
          const before = sessions.get(session) ?? { samples: 0, sum: 0 };
          sums.add(x, before);
          sessions.set(session, { samples: before.samples + 1, sum: before.sum + x });
        }
        const n = list.length;
        const mean = list.reduce((sum, { x }) => sum + x, 0) / n;
        expect(sums.mean).toBeCloseTo(mean, 6);
        expect(sums.sessions).toBe(sessions.size);
        const m = sessions.size;
        if (m < 2) return expect(sums.varianceOfMean).toBeNull();
        const spread = [...sessions.values()].reduce((sum, s) => sum + (s.sum - mean * s.samples) ** 2, 0);
        const variance = (spread / n ** 2) * (m / (m - 1));
        expect(Math.abs((sums.varianceOfMean ?? 0) - variance)).toBeLessThanOrEqual(1e-9 * variance + 1e-3);
        expect(ArmSums.parse(sums.toJSON()).toJSON()).toEqual(sums.toJSON());
      }),
    );
  });

  it("give the usual variance for independent samples, and exactly zero for equal ones", () => {
    const sums = new ArmSums();
    for (const x of [120, 150, 110, 140, 180, 130, 160, 120, 150, 140]) sums.add(x);
    expect(sums.varianceOfMean).toBeCloseTo(21.081851067789195 ** 2 / 10, 9);
    expect(sums.independentSamples).toBe(10);
    const equal = new ArmSums();
    for (let n = 0; n < 1000; n += 1) equal.add(123_456_789);
    expect(equal.varianceOfMean).toBe(0);
  });
});

const calls = fc.array(
  fc.record({
    arm: fc.constantFrom("control" as const, "treatment" as const),
    cost_microcents: fc.option(fc.integer({ min: 0, max: 1_000_000 })),
    latency_ms: fc.integer({ min: 0, max: 5000 }),
    is_error: fc.boolean(),
    session: fc.option(fc.integer({ min: 0, max: 200 })),
  }),
  { minLength: 300, maxLength: 500 },
);

describe("a tally", () => {
  it("EXP-003 does not depend on batching: serialized and restored, it continues unchanged", () => {
    fc.assert(
      fc.property(
        calls,
        fc.constantFrom(...primaryMetrics),
        fc.integer({ min: 1, max: 200 }),
        (list, metric, every) => {
          const whole = Tally.of(metric);
          let parts = Tally.of(metric);
          const ofWhole = new Map<number, SessionTally>();
          const ofParts = new Map<number, SessionTally>();
          for (const [index, { session, ...call }] of list.entries()) {
            add(whole, ofWhole, call, session);
            if (index % every === 0) parts = Tally.parse(parts.toText());
            add(parts, ofParts, call, session);
          }
          expect(parts.toText()).toBe(whole.toText());
          const { control, treatment } = whole.calls;
          expect(control.samples + treatment.samples).toBe(list.length);
        },
      ),
      { numRuns: 40 },
    );
  });

  it("fixes the reference latency from the control's first hundred calls, which it then excludes", () => {
    const tally = Tally.of("latency_p95");
    const call = { cost_microcents: 1, is_error: false };
    for (let n = 1; n <= 100; n += 1) {
      expect(tally.thresholdMs).toBeNull();
      tally.add({ ...call, arm: "treatment", latency_ms: 9999 }, null);
      tally.add({ ...call, arm: "control", latency_ms: n }, null);
    }
    expect(tally.thresholdMs).toBe(95);
    expect(tally.slow.control.samples + tally.slow.treatment.samples).toBe(0);
    tally.add({ ...call, arm: "control", latency_ms: 95 }, null);
    tally.add({ ...call, arm: "treatment", latency_ms: 96 }, null);
    expect([tally.slow.control.sum, tally.slow.treatment.sum]).toEqual([0n, 1n]);
  });

  it("EXP-008 decides nothing before each arm has 100 calls in 30 sessions, or without any variance", () => {
    const feed = (control: number, treatment: number, perSession: number, spread: number) => {
      const tally = Tally.of("cost_per_call");
      const add = (arm: "control" | "treatment", count: number, cost: number) => {
        let session: SessionTally | null = EMPTY_SESSION;
        for (let n = 0; n < count; n += 1) {
          if (n % perSession === 0) session = EMPTY_SESSION;
          const cost_microcents = cost + (n % 7) * spread;
          session = tally.add({ arm, cost_microcents, latency_ms: 1, is_error: false }, session);
        }
      };
      add("control", control, 10_000);
      add("treatment", treatment, 1000);
      return tally.test.decided;
    };
    expect(feed(99, 1000, 1, 10)).toBe(0);
    expect(feed(1000, 99, 1, 10)).toBe(0);
    expect(feed(1000, 29 * 10, 10, 10)).toBe(0);
    expect(feed(1000, 1000, 1, 0)).toBe(0);
    expect(feed(100, 100, 1, 10)).toBe(-1);
    expect(feed(1000, 30 * 10, 10, 10)).toBe(-1);
  });

  it("EXP-003 counts what failed calls cost, but not the calls, among the costs", () => {
    const tally = Tally.of("cost_per_call");
    const call = { arm: "treatment" as const, latency_ms: 1 };
    const add = (cost_microcents: number | null, is_error: boolean, session: SessionTally | null) =>
      tally.add({ ...call, cost_microcents, is_error }, session);
    const session = add(100, false, add(40, true, EMPTY_SESSION));
    add(null, true, add(80, false, null));
    add(20, true, null);
    expect(session).toMatchObject({ calls: 2, errors: 1, priced_calls: 1, cost_microcents: 140 });
    const { mean, sessions, varianceOfMean } = tally.cost.treatment;
    expect([mean, sessions]).toEqual([120, 2]);
    // The sessions' costs less the mean of their calls that did not fail: 20, −40 and 20.
    expect(varianceOfMean).toBe(((20 ** 2 + 40 ** 2 + 20 ** 2) / 2 ** 2) * 2);
    expect(tally.pricedErrors).toEqual({ control: 0, treatment: 2 });
  });

  it("EXP-008 does not let a model win on cost because it fails", () => {
    const tally = Tally.of("cost_per_call");
    for (let n = 0; n < 1000; n += 1) {
      const cost = 900 + ((n * 37) % 200);
      const fails = n % 5 === 0;
      tally.add({ arm: "control", cost_microcents: cost, latency_ms: 1, is_error: false }, null);
      tally.add(
        { arm: "treatment", cost_microcents: fails ? 0 : cost, latency_ms: 1, is_error: fails },
        null,
      );
    }
    expect(tally.test.decided).toBe(0);
  });

  it("continues one of an older version, which has no failed calls apart", () => {
    const { priced_errors: _, ...older } = JSON.parse(Tally.of("cost_per_call").toText());
    expect(Tally.parse(JSON.stringify(older)).pricedErrors).toEqual({ control: 0, treatment: 0 });
  });

  it("is not certain of a small arm that has not failed yet", () => {
    const test = new SequentialTest(0.03 ** 2);
    const arms = emptyArms();
    for (let n = 0; n < 900; n += 1) arms.control.add(n % 20 === 0 ? 1 : 0);
    for (let n = 0; n < 100; n += 1) arms.treatment.add(0);
    test.look(arms);
    expect(test.decided).toBe(0);
  });
});

describe("latencies by millisecond", () => {
  it("EXP-003 have exactly the percentiles of the calls", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 300 }), { minLength: 1, maxLength: 400 }),
        fc.constantFrom(50, 95, 99, 100),
        (list, percent) => {
          const counts = new Map<number, number>();
          for (const latency of list) counts.set(latency, (counts.get(latency) ?? 0) + 1);
          const sorted = list.toSorted((a, b) => a - b);
          const latencies = new LatencyCounts(counts);
          const expected = sorted[Math.ceil((percent * list.length) / 100) - 1];
          expect(latencies.percentile(percent / 100)).toBe(expected ?? null);
          const estimate = latencies.estimate(0.5, list.length);
          expect(estimate?.low === null).toBe(list.length < 6);
          expect(estimate?.low ?? 0).toBeLessThanOrEqual(estimate?.value ?? 0);
          expect(estimate?.high ?? 999).toBeGreaterThanOrEqual(estimate?.value ?? 999);
          const wide = latencies.alwaysValid(0.5, list.length, 0.01, 0.05);
          expect(wide.low ?? -1).toBeLessThanOrEqual(estimate?.low ?? 0);
          expect(wide.high ?? 999).toBeGreaterThanOrEqual(estimate?.high ?? 0);
        },
      ),
    );
    expect(new LatencyCounts([]).percentile(0.5)).toBeNull();
    expect(new LatencyCounts([]).estimate(0.5, 0)).toBeNull();
  });
});

function add(
  tally: Tally,
  sessions: Map<number, SessionTally>,
  call: Parameters<Tally["add"]>[0],
  session: number | null,
): void {
  // A session belongs to one arm.
  const arm = session === null ? call.arm : session % 2 === 0 ? "control" : "treatment";
  const after = tally.add(
    { ...call, arm },
    session === null ? null : (sessions.get(session) ?? EMPTY_SESSION),
  );
  if (session !== null && after !== null) sessions.set(session, after);
}
