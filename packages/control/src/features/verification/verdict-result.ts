import { type Envelope, toEnvelope } from "@tollgate/core/contract/fields/envelope";
import type { verdictResult } from "@tollgate/core/contract/verification";
import type { Estimate } from "@tollgate/core/experiments/latency-counts";
import { wilsonInterval } from "@tollgate/core/statistics/wilson-interval";
import { type Guard, type Guards, guardsOf } from "@tollgate/core/verification/guards";
import { type Savings, savingsOf } from "@tollgate/core/verification/savings";
import type { TrialRow } from "@tollgate/core/verification/trial-row";
import type { CategoryVerdict, MeanScore, Verdict } from "@tollgate/core/verification/verdict";
import type { z } from "zod";

export type VerdictResult = z.infer<typeof verdictResult>;

interface Interval {
  readonly low: number;
  readonly high: number;
}

export interface Measured {
  readonly isShown: boolean;
  readonly margin: number;
  readonly alpha: number;
  readonly score: MeanScore;
  /** null: not counted for this evidence. */
  readonly counts: { readonly wins: number; readonly ties: number; readonly losses: number } | null;
  readonly tangoLower: number | null;
  readonly controls: MeanScore | null;
  readonly guards: Guards;
  /** The 95 % interval of the candidate's share of failed calls; null: nothing was measured. */
  readonly candidateErrors: Interval | null;
  readonly savings: Savings;
  /** How score and savings were measured: by pairs, or by two groups of calls. */
  readonly design: "paired" | "two_groups";
}

/** The verdict over all categories. */
export function resultOf(verdict: Verdict, dataThroughMs: number | null): VerdictResult {
  const { wins, ties, losses } = verdict;
  return toResult(
    {
      ...verdict,
      isShown: verdict.verdict === "holds" || verdict.verdict === "holds_with_warning",
      counts: { wins, ties, losses },
      tangoLower: verdict.tango_lower,
      candidateErrors: errorsOfPairs(verdict.guards, verdict.score.pairs),
      design: "paired",
    },
    dataThroughMs,
  );
}

/** The verdict of one category, with savings and guards from its own pairs. */
export function categoryResultOf(
  found: CategoryVerdict,
  overall: Verdict,
  rows: readonly TrialRow[],
  dataThroughMs: number | null,
): VerdictResult {
  const own = rows.filter(row => row.kind === "compared" && row.category === found.category);
  const guards = guardsOf(own);
  return toResult(
    {
      isShown: found.verdict === "holds",
      margin: overall.margin,
      alpha: overall.alpha,
      score: found,
      counts: null,
      tangoLower: null,
      controls: null,
      guards,
      candidateErrors: errorsOfPairs(guards, found.pairs),
      savings: savingsOf(own, null),
      design: "paired",
    },
    dataThroughMs,
  );
}

export function toResult(measured: Measured, dataThroughMs: number | null): VerdictResult {
  const { score, counts, controls, guards, savings } = measured;
  const isPaired = measured.design === "paired";
  const count = (value: number | null) => toEnvelope({ method: "count", value }, dataThroughMs);
  const rate = (value: number | null, interval: Interval | null = null) =>
    toEnvelope({ method: "ratio_wilson", value, interval }, dataThroughMs);
  const exact = (value: number | null) => toEnvelope({ method: "exact", value }, dataThroughMs);
  const estimated = (estimate: Estimate | null) =>
    toEnvelope(
      {
        method: isPaired ? "paired_t" : "mean_t",
        value: estimate?.value ?? null,
        interval: intervalOf(estimate),
      },
      dataThroughMs,
    );
  return {
    pairs: {
      compared: count(score.pairs),
      values: count(score.values),
      wins: count(counts?.wins ?? null),
      ties: count(counts?.ties ?? null),
      losses: count(counts?.losses ?? null),
      controls: count(controls?.pairs ?? null),
    },
    non_inferiority: {
      is_shown: measured.isShown,
      margin: exact(measured.margin),
      alpha: exact(measured.alpha),
      mean_score: scoreEnvelope(score, dataThroughMs, isPaired ? "betting_cs" : "mean_t"),
      tango_lower: exact(measured.tangoLower),
      judge_bias: scoreEnvelope(controls, dataThroughMs),
    },
    guards: {
      error_rate: {
        passes: passesOf(guards.error_rate),
        production: rate(guards.error_rate.production),
        candidate: rate(guards.error_rate.candidate, measured.candidateErrors),
      },
      latency_p95_ms: {
        passes: passesOf(guards.latency_p95_ms),
        production: exact(guards.latency_p95_ms.production),
        candidate: exact(guards.latency_p95_ms.candidate),
      },
    },
    savings: {
      per_call_microcents: estimated(savings.per_call_microcents),
      per_month_microcents: estimated(savings.per_month_microcents),
      ratio: estimated(savings.ratio),
      priced_pairs: count(savings.priced_pairs),
      unpriced_pairs: count(savings.unpriced_pairs),
    },
  };
}

/** Without a value, the sequence excludes nothing. */
export function scoreEnvelope(
  score: MeanScore | null,
  dataThroughMs: number | null,
  method: "betting_cs" | "mean_t" = "betting_cs",
): Envelope {
  return toEnvelope(
    {
      method,
      value: score?.mean ?? null,
      interval: score === null ? null : { low: score.lower, high: score.upper },
    },
    dataThroughMs,
  );
}

/** Each pair has one call of the candidate. */
function errorsOfPairs({ error_rate: { candidate } }: Guards, pairs: number): Interval | null {
  return candidate === null ? null : wilsonInterval(Math.round(candidate * pairs), pairs);
}

function passesOf({ passes, production, candidate }: Guard): boolean | null {
  return production === null || candidate === null ? null : passes;
}

export function intervalOf(estimate: Estimate | null): Interval | null {
  if (estimate === null || estimate.low === null || estimate.high === null) return null;
  return { low: estimate.low, high: estimate.high };
}
