import { ArmSums, NEW_SESSION, type SessionSums } from "../experiments/arm-sums.ts";
import type { Estimate } from "../experiments/latency-counts.ts";
import { meanInterval } from "../statistics/mean-interval.ts";
import { savingsRatio } from "../statistics/savings-ratio.ts";
import type { TrialRow } from "./trial-row.ts";

export interface Savings {
  /** Pairs of two answers with both costs known. */
  readonly priced_pairs: number;
  readonly unpriced_pairs: number;
  /** How much less a call costs, with its 95 % interval by sessions; negative: more. null: unknown. */
  readonly per_call_microcents: Estimate | null;
  /** At the agent's own volume; null: one of the two is unknown. */
  readonly per_month_microcents: Estimate | null;
  /** The saved share of the production model's cost. */
  readonly ratio: Estimate | null;
}

/**
 * The same calls at both models' costs, where both answered: a failed answer costs little or nothing, which is no saving.
 * Calls of one session are correlated, so the interval is by session.
 */
export function savingsOf(rows: readonly TrialRow[], monthlyCalls: number | null): Savings {
  const sums = new ArmSums();
  const sessions = new Map<string, SessionSums>();
  const totals = new Map<string, [before: number, after: number]>();
  let unpriced = 0;
  for (const [index, row] of rows.entries()) {
    if (row.kind !== "compared" || row.production.isFailed || row.candidate.isFailed) continue;
    const [before, after] = [row.production.costMicrocents, row.candidate.costMicrocents];
    if (before === null || after === null) {
      unpriced += 1;
      continue;
    }
    const key = row.sessionId === null ? `row ${index}` : `session ${row.sessionId}`;
    const session = sessions.get(key) ?? NEW_SESSION;
    sums.add(before - after, session);
    sessions.set(key, { samples: session.samples + 1, sum: session.sum + before - after });
    const [spentBefore, spentAfter] = totals.get(key) ?? [0, 0];
    totals.set(key, [spentBefore + before, spentAfter + after]);
  }
  const perCall = perCallOf(sums);
  return {
    priced_pairs: sums.samples,
    unpriced_pairs: unpriced,
    per_call_microcents: perCall,
    per_month_microcents: perCall === null || monthlyCalls === null ? null : times(perCall, monthlyCalls),
    ratio: savingsRatio([...totals.values()]),
  };
}

function perCallOf({ mean, varianceOfMean, sessions }: ArmSums): Estimate | null {
  if (mean === null) return null;
  const interval =
    varianceOfMean === null ? null : meanInterval(mean, Math.sqrt(Math.max(0, varianceOfMean)), sessions - 1);
  return { value: mean, low: interval?.low ?? null, high: interval?.high ?? null };
}

function times({ value, low, high }: Estimate, factor: number): Estimate {
  return {
    value: value * factor,
    low: low === null ? null : low * factor,
    high: high === null ? null : high * factor,
  };
}
