import { LatencyCounts } from "../experiments/latency-counts.ts";
import { exceeds } from "../statistics/exceeds.ts";
import type { ComparedPair, TrialRow } from "./trial-row.ts";

/** The largest tolerated increase in the observed failure rate: one percentage point. */
const WORST_ERROR_DIFFERENCE = 0.01;
/** The largest tolerated increase of the 95th percentile: by half. */
const WORST_LATENCY_RATIO = 1.5;
/** Nobody notices less, and on a busy machine a call of a millisecond easily takes two. */
const NOTICEABLE_MS = 50;

export interface Guard {
  readonly passes: boolean;
  /** null: nothing was measured. */
  readonly production: number | null;
  readonly candidate: number | null;
}

export interface Guards {
  /** Shares of failed calls. */
  readonly error_rate: Guard;
  readonly latency_p95_ms: Guard;
}

/** The agent's calls of the production model during the trial, sampled or not. */
export interface ProductionCalls {
  readonly calls: number;
  readonly errors: number;
}

/** What a score does not show: equally good answers that are slower or missing. */
export function guardsOf(rows: readonly TrialRow[], calls: ProductionCalls | null = null): Guards {
  const pairs = rows.filter(row => row.kind === "compared");
  return { error_rate: errorGuard(rows, pairs, calls), latency_p95_ms: pairedLatencyGuard(pairs) };
}

/** A pair exists only if the production model answered, so its failures are counted separately. */
function errorGuard(
  rows: readonly TrialRow[],
  pairs: readonly ComparedPair[],
  calls: ProductionCalls | null,
): Guard {
  if (pairs.length === 0) return { passes: true, production: null, candidate: null };
  const failures = rows.filter(row => row.kind === "production_failed").length;
  const production =
    calls === null || calls.calls === 0 ? failures / (failures + pairs.length) : calls.errors / calls.calls;
  const candidate = pairs.filter(pair => pair.candidate.isFailed).length / pairs.length;
  return { passes: !exceeds(candidate - production, WORST_ERROR_DIFFERENCE), production, candidate };
}

/** Only pairs in which both answered: a failure is fast, or takes as long as the timeout. */
function pairedLatencyGuard(pairs: readonly ComparedPair[]): Guard {
  const both = pairs.filter(({ production, candidate }) => !production.isFailed && !candidate.isFailed);
  const measured = both.flatMap(({ production, candidate }) =>
    production.latencyMs === null || candidate.latencyMs === null
      ? []
      : [[production.latencyMs, candidate.latencyMs] as const],
  );
  return latencyGuard(
    p95(measured.map(([latencyMs]) => latencyMs)),
    p95(measured.map(([, latencyMs]) => latencyMs)),
  );
}

/** Of two 95th percentiles. */
export function latencyGuard(production: number | null, candidate: number | null): Guard {
  const passes =
    production === null ||
    candidate === null ||
    candidate <= Math.max(WORST_LATENCY_RATIO * production, production + NOTICEABLE_MS);
  return { passes, production, candidate };
}

function p95(latenciesMs: readonly number[]): number | null {
  return new LatencyCounts(latenciesMs.map(latencyMs => [latencyMs, 1] as const)).percentile(0.95);
}
