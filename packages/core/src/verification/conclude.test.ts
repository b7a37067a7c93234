import { describe, expect, it } from "bun:test";
import fc from "fast-check";
import { microcents } from "../money/money.ts";
import { DAY_MS } from "../time/durations.ts";
import { type Circumstances, type Conclusion, conclude, conclusionOf } from "./conclude.ts";
import { builtInPolicies, planTrial } from "./trial-plan.ts";
import type { ComparedPair, TrialRow } from "./trial-row.ts";
import { TrialSequence } from "./trial-sequence.ts";
import { freshness } from "./verdict.ts";

const [quick] = builtInPolicies;
const subject = {
  agent_id: null,
  prod_provider: "openai",
  prod_model: "a",
  candidate_provider: "openai",
  candidate_model: "b",
} as const;
const plan = planTrial(subject, quick, "openai/judge", "seed");
const running: Circumstances = { nowMs: 0, isOver: false, monthlyCalls: null };
const over: Circumstances = { ...running, isOver: true };

const call = (costMicrocents: number | null, latencyMs = 100) => ({
  isFailed: false,
  latencyMs,
  costMicrocents: costMicrocents === null ? null : microcents(costMicrocents),
  servedModel: null,
});

const pair = (score: number, changed: Partial<ComparedPair> = {}): ComparedPair => ({
  kind: "compared",
  recordedAtMs: 0,
  sessionId: null,
  score,
  grader: "judge",
  category: "open_ended",
  production: call(100),
  candidate: call(60),
  ...changed,
});
const control = (score: number): TrialRow => ({ ...pair(score), kind: "control" });
const failure: TrialRow = { kind: "production_failed", recordedAtMs: 0, sessionId: null };
const times = <Row>(count: number, row: (index: number) => Row): Row[] =>
  Array.from({ length: count }, (_, i) => row(i));

function verdictOf(rows: readonly TrialRow[], circumstances = running) {
  const conclusion = conclude(plan, rows, circumstances);
  if (conclusion.status !== "concluded") throw new Error(`the trial is ${conclusion.status}`);
  return conclusion.verdict;
}

describe("a trial is concluded", () => {
  it("as `holds` once the lower end is above the margin, and not before the minimum number of pairs", () => {
    expect(
      conclude(
        plan,
        times(49, () => pair(0)),
        running,
      ).status,
    ).toBe("registered");
    const verdict = verdictOf(times(200, () => pair(0)));
    expect(verdict.verdict).toBe("holds");
    expect(verdict.score.pairs).toBeGreaterThanOrEqual(50);
    expect(verdict.score.lower).toBeGreaterThanOrEqual(-plan.margin);
    expect(verdict.score.mean).toBe(0);
    expect(verdict.ties).toBe(verdict.score.values);
  });

  it("as `degrades` once the upper end is below it", () => {
    const verdict = verdictOf(times(200, () => pair(-1)));
    expect(verdict.verdict).toBe("degrades");
    expect(verdict.score.upper).toBeLessThanOrEqual(-plan.margin);
    expect(verdict.losses).toBe(50);
  });

  it("as `inconclusive` if its pairs or its time are used up without a result", () => {
    // A mean exactly at the margin: eleven losses to nine wins.
    const atMargin = times(500, index => pair(index % 20 < 11 ? -1 : 1));
    expect(verdictOf(atMargin).verdict).toBe("inconclusive");
    expect(conclude(plan, atMargin.slice(0, 100), running).status).toBe("registered");
    expect(verdictOf(atMargin.slice(0, 100), over).verdict).toBe("inconclusive");
  });

  it("with a warning if the candidate's failure rate is more than one percentage point higher", () => {
    const failed = { ...call(0), isFailed: true };
    const rows = times(200, index => pair(0, index === 10 ? { candidate: failed } : {}));
    const { verdict, guards } = verdictOf(rows);
    expect(verdict).toBe("holds_with_warning");
    expect(guards.error_rate).toMatchObject({ passes: false, production: 0 });
    // The production model fails as often: no reason to warn.
    expect(verdictOf([failure, failure, ...rows]).verdict).toBe("holds");
  });

  it("without one if production itself fails as often, by all of its calls", () => {
    const flaky = times(300, index =>
      pair(0, index % 50 ? {} : { candidate: { ...call(60), isFailed: true } }),
    );
    const circumstances = { ...running, production: { calls: 1000, errors: 30 } };
    expect(verdictOf(flaky).verdict).toBe("holds_with_warning");
    const { verdict, guards } = verdictOf(flaky, circumstances);
    expect(verdict).toBe("holds");
    expect(guards.error_rate).toMatchObject({ passes: true, production: 0.03 });
  });

  it("with a warning if the candidate's 95th percentile is more than 50 % longer", () => {
    const slower = (latencyMs: number) => times(200, () => pair(0, { candidate: call(60, latencyMs) }));
    expect(verdictOf(slower(150)).verdict).toBe("holds");
    const { verdict, guards } = verdictOf(slower(151));
    expect(verdict).toBe("holds_with_warning");
    expect(guards.latency_p95_ms).toEqual({ passes: false, production: 100, candidate: 151 });
  });

  it("without one if it is longer by 50 ms or less", () => {
    const quick = (latencyMs: number) =>
      times(200, () => pair(0, { production: call(100, 1), candidate: call(60, latencyMs) }));
    expect(verdictOf(quick(51)).verdict).toBe("holds");
    expect(verdictOf(quick(52)).verdict).toBe("holds_with_warning");
  });

  it("and a warning does not change `degrades`", () => {
    const rows = times(200, () => pair(-1, { candidate: call(60, 1000) }));
    expect(verdictOf(rows).verdict).toBe("degrades");
  });

  it("with savings per call, per month and as a share, with intervals", () => {
    const rows = times(200, index => pair(0, { candidate: call(50 + (index % 3) * 10) }));
    const { savings } = verdictOf(rows, { ...running, monthlyCalls: 1000 });
    const perCall = savings.per_call_microcents;
    expect(perCall?.value).toBeCloseTo(40, 0);
    expect(perCall?.low).toBeLessThan(perCall?.value ?? 0);
    expect(perCall?.high).toBeGreaterThan(perCall?.value ?? 0);
    expect(savings.per_month_microcents?.value).toBe(1000 * (perCall?.value ?? 0));
    expect(savings.per_month_microcents?.low).toBe(1000 * (perCall?.low ?? 0));
    expect(savings.ratio?.value).toBeCloseTo((perCall?.value ?? 0) / 100, 12);
    expect(savings.unpriced_pairs).toBe(0);
  });

  it("with savings of pairs that both models answered: a failed answer saves nothing", () => {
    const rows = times(200, index =>
      pair(index % 20 === 0 ? -1 : 0, {
        candidate: index % 20 === 0 ? { ...call(0), isFailed: true } : call(100 + (index % 3) - 1),
      }),
    );
    const { savings, score } = verdictOf(rows, over);
    expect(savings.per_call_microcents?.value).toBeCloseTo(0, 1);
    expect(savings.priced_pairs).toBe(score.pairs - Math.ceil(score.pairs / 20));
    expect(savings.unpriced_pairs).toBe(0);
  });

  it("without savings if a price is unknown, with the number of such pairs", () => {
    const rows = times(200, () => pair(0, { candidate: call(null) }));
    const { savings, score } = verdictOf(rows, { ...running, monthlyCalls: 1000 });
    expect(savings).toEqual({
      priced_pairs: 0,
      unpriced_pairs: score.pairs,
      per_call_microcents: null,
      per_month_microcents: null,
      ratio: null,
    });
  });

  it("with wider intervals if the calls of a session are correlated", () => {
    const cost = (index: number) => call(50 + (Math.floor(index / 5) % 3) * 20);
    const apart = verdictOf(times(100, index => pair(0, { candidate: cost(index) })));
    const together = verdictOf(
      times(100, index => pair(0, { candidate: cost(index), sessionId: `s${Math.floor(index / 5)}` })),
      over,
    );
    const width = ({ savings }: typeof apart) =>
      (savings.per_call_microcents?.high ?? 0) - (savings.per_call_microcents?.low ?? 0);
    expect(width(together)).toBeGreaterThan(width(apart));
  });

  it("with a verdict per category with enough pairs", () => {
    const rows = times(400, index =>
      pair(index % 2 === 0 ? 0.5 : index % 40 === 1 ? -1 : -0.5, {
        category: index % 2 === 0 ? "code" : index % 40 === 1 ? "structured" : "tool_use",
      }),
    );
    const { verdict, categories } = verdictOf(rows);
    expect(verdict).toBe("holds");
    expect(categories.map(({ category, verdict: of }) => [category, of])).toEqual([
      ["tool_use", "degrades"],
      ["code", "holds"],
    ]);
    for (const { pairs } of categories) expect(pairs).toBeGreaterThanOrEqual(50);
  });

  it("for 30 days; it counts as expiring in the last seven", () => {
    const verdict = verdictOf(times(200, () => pair(0)));
    expect(verdict.expires_at_ms).toBe(30 * DAY_MS);
    const at = [0, 23 * DAY_MS - 1, 23 * DAY_MS, 30 * DAY_MS - 1, 30 * DAY_MS];
    expect(at.map(nowMs => freshness(verdict, nowMs))).toEqual([
      "current",
      "current",
      "expiring",
      "expiring",
      "expired",
    ]);
  });
});

describe("a trial is voided", () => {
  const voided = (rows: readonly TrialRow[], circumstances = running) => {
    const conclusion = conclude(plan, rows, circumstances);
    return conclusion.status === "voided" ? conclusion.reason : conclusion.status;
  };

  it("if time or spend is used up before there are enough pairs", () => {
    expect(
      voided(
        times(49, () => pair(0)),
        over,
      ),
    ).toBe("expired");
    expect(voided([], over)).toBe("expired");
  });

  it("if a model's served name changes, but not if it is missing", () => {
    const named = (servedModel: string | null) => ({ ...call(60), servedModel });
    const rows = (second: string | null) => [
      pair(0, { candidate: named("b-1") }),
      pair(0, { candidate: named(second) }),
      ...times(200, () => pair(0, { candidate: named("b-1") })),
    ];
    expect(voided(rows("b-2"))).toBe("served_model_changed");
    expect(voided(rows(null))).toBe("concluded");
    expect(
      voided([
        pair(0, { production: named("a-1") }),
        { ...control(0), production: named("a-2") } as TrialRow,
      ]),
    ).toBe("served_model_changed");
  });

  it("if controls show that the judge prefers one of two samples of the same model, in either direction", () => {
    for (const score of [1, -1]) expect(voided(times(60, () => control(score)))).toBe("judge_noise");
    // The largest allowed deviation, or noise without a direction.
    expect(voided(times(300, index => control(index % 20 === 0 ? 1 : 0)))).toBe("registered");
    expect(voided(times(300, index => control(index % 2 === 0 ? 1 : -1)))).toBe("registered");
  });

  it("rather than concluded, if both happen at the same time", () => {
    const rows = times(49, () => [pair(0), control(1)]).flat();
    expect(voided([...rows, ...times(200, () => pair(0))])).toBe("judge_noise");
  });

  it("when cancelled, once", () => {
    const trial = new TrialSequence(plan);
    trial.void("cancelled");
    trial.void("switched_meanwhile");
    trial.finish();
    expect(trial.end).toEqual({ kind: "voided", reason: "cancelled" });
  });
});

describe("a trial that is recomputed from its rows", () => {
  const rowsOf = fc.array(
    fc.record({
      wait: fc.nat(120_000),
      session: fc.option(fc.nat(150).map(String), { freq: 2 }),
      score: fc.constantFrom(-1, -0.5, 0, 0, 0, 0.25, 0.5, 1),
      kind: fc.constantFrom("compared", "compared", "compared", "control", "production_failed"),
      candidateCost: fc.option(fc.nat(1000), { freq: 10 }),
    }),
    { minLength: 150, maxLength: 400 },
  );

  it("ends as it did when evaluated row by row, whatever came after its end", () => {
    let [concluded, open] = [0, 0];
    fc.assert(
      fc.property(rowsOf, steps => {
        let recordedAtMs = 0;
        const rows = steps.map(({ wait, session, score, kind, candidateCost }): TrialRow => {
          recordedAtMs += wait;
          if (kind === "production_failed") return { kind, recordedAtMs, sessionId: session };
          const compared = pair(score, { recordedAtMs, sessionId: session, candidate: call(candidateCost) });
          return kind === "control" ? { ...compared, kind } : compared;
        });
        const trial = new TrialSequence(plan);
        let followed: Conclusion | null = null;
        let endedAtMs = 0;
        for (const [index, row] of rows.entries()) {
          trial.add(row);
          const nextMs = rows[index + 1]?.recordedAtMs ?? row.recordedAtMs;
          trial.look((row.recordedAtMs + nextMs) / 2);
          if (trial.end === null || followed !== null) continue;
          endedAtMs = row.recordedAtMs;
          followed = conclusionOf(plan, trial, { nowMs: endedAtMs, monthlyCalls: 10 });
        }
        const circumstances = { nowMs: recordedAtMs, isOver: false, monthlyCalls: 10 };
        const again = conclude(plan, rows, circumstances);
        if (followed === null) {
          open += 1;
          expect(again).toEqual(conclusionOf(plan, trial, circumstances));
        } else if (followed.status === "concluded" && again.status === "concluded") {
          concluded += 1;
          const { concluded_at_ms, expires_at_ms, ...verdict } = again.verdict;
          expect(followed.verdict).toEqual({
            ...verdict,
            concluded_at_ms: endedAtMs,
            expires_at_ms: endedAtMs + 30 * DAY_MS,
          });
        } else expect(again).toEqual(followed);
      }),
      { numRuns: 60, endOnFailure: true },
    );
    expect(concluded).toBeGreaterThan(0);
    expect(open).toBeGreaterThan(0);
  });
});
