import { toIsoTime } from "@tollgate/core/contract/fields/iso-time";
import type { OutputOf } from "@tollgate/core/contract/operation";
import type { Operations } from "@tollgate/core/contract/operations";
import type { HistoryWindow } from "@tollgate/core/limits/history-window";
import { addCalls, noCalls, type RunningSums } from "@tollgate/core/money/call-sums";
import { startOf } from "@tollgate/core/time/start-of-day";
import type { BreakdownBucket } from "@tollgate/storage/read-model/breakdown";

export type BreakdownAnswer = OutputOf<Operations["analytics.breakdown"]>;
export type BreakdownGroup = BreakdownAnswer["groups"][number];
type Point = BreakdownGroup["series"][number];

/** What every series of an answer has in common. */
export interface BreakdownShape {
  readonly window: HistoryWindow;
  readonly previous: HistoryWindow | null;
  /** null: no series. */
  readonly unitMs: number | null;
}

export function toTotal(
  buckets: readonly BreakdownBucket[],
  shape: BreakdownShape,
): BreakdownAnswer["total"] {
  const { previous } = shape;
  const before = buckets.filter(({ isPrevious }) => isPrevious);
  return {
    ...sumsAndSeries(buckets, shape),
    previous_series: previous === null ? null : toSeries(before, previous, shape.unitMs),
  };
}

export function sumsAndSeries(
  buckets: readonly BreakdownBucket[],
  { window, previous, unitMs }: BreakdownShape,
) {
  const current = buckets.filter(({ isPrevious }) => !isPrevious);
  return {
    ...toSums(current),
    series: toSeries(current, window, unitMs),
    previous: previous === null ? null : toSums(buckets.filter(({ isPrevious }) => isPrevious)),
  };
}

function toSums(buckets: readonly BreakdownBucket[]) {
  const sums = noCalls();
  for (const bucket of buckets) addCalls(sums, bucket);
  return {
    call_count: sums.calls,
    error_count: sums.errors,
    input_tokens: sums.input_tokens,
    output_tokens: sums.output_tokens,
    cost_microcents: sums.cost_microcents,
    unpriced_calls: sums.unpriced_calls,
  };
}

function toSeries(
  buckets: readonly BreakdownBucket[],
  window: HistoryWindow,
  unitMs: number | null,
): Point[] {
  if (unitMs === null) return [];
  const sums = new Map<number, RunningSums>(timesOf(window, unitMs).map(at => [at, noCalls()]));
  for (const bucket of buckets) {
    const known = sums.get(bucket.at);
    if (known === undefined) throw new Error(`a sum of ${bucket.at} is outside its window`);
    addCalls(known, bucket);
  }
  return [...sums].map(([at, { calls, cost_microcents, unpriced_calls }]) => ({
    at: toIsoTime(at),
    call_count: calls,
    cost_microcents,
    unpriced_calls,
  }));
}

export function timesOf({ from, to }: HistoryWindow, unitMs: number | null): number[] {
  if (unitMs === null) return [];
  const times: number[] = [];
  for (let at = startOf(from, unitMs); at < to && from < to; at += unitMs) times.push(at);
  return times;
}
