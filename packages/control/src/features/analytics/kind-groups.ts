import { OTHER_KIND, shownCostKinds } from "@tollgate/core/contract/analytics";
import { toIsoTime } from "@tollgate/core/contract/fields/iso-time";
import { costKinds } from "@tollgate/core/money/cost-kinds";
import type { CostKindBucket, CostsByKind } from "@tollgate/storage/read-model/breakdown";
import {
  type BreakdownAnswer,
  type BreakdownGroup,
  type BreakdownShape,
  timesOf,
} from "./breakdown-series.ts";

/** Most expensive first. A call has several kinds of cost, so nothing but costs is known of a kind. */
export function kindGroups(buckets: readonly CostKindBucket[], shape: BreakdownShape): BreakdownGroup[] {
  const amountOf = (kind: (typeof shownCostKinds)[number], bucket: CostKindBucket) =>
    kind === OTHER_KIND ? unexplained(bucket.cost_microcents, bucket.byKind) : bucket.byKind[kind];
  return shownCostKinds
    .map(kind => {
      const costs = buckets.map(bucket => ({
        at: bucket.at,
        isPrevious: bucket.isPrevious,
        amount: amountOf(kind, bucket),
      }));
      return { kind, costs };
    })
    .filter(({ costs }) => costs.some(({ amount }) => amount !== 0))
    .map(({ kind, costs }) => ({
      key: kind,
      name: null,
      provider: null,
      cost_kinds: null,
      ...kindSums(costs, shape),
    }))
    .toSorted((a, b) => b.cost_microcents - a.cost_microcents);
}

export function unexplained(costMicrocents: number, byKind: CostsByKind): number {
  return costKinds.reduce((rest, kind) => rest - byKind[kind], costMicrocents);
}

interface KindCost {
  readonly at: number;
  readonly isPrevious: boolean;
  readonly amount: number;
}

const unknownCounts = {
  call_count: null,
  error_count: null,
  input_tokens: null,
  output_tokens: null,
  unpriced_calls: null,
};

function kindSums(costs: readonly KindCost[], { window, previous, unitMs }: BreakdownShape) {
  const sumOf = (isPrevious: boolean) =>
    costs.filter(cost => cost.isPrevious === isPrevious).reduce((sum, { amount }) => sum + amount, 0);
  const byTime = new Map(costs.filter(cost => !cost.isPrevious).map(({ at, amount }) => [at, amount]));
  return {
    ...unknownCounts,
    cost_microcents: sumOf(false),
    series: timesOf(window, unitMs).map(at => ({
      at: toIsoTime(at),
      call_count: null,
      // Nothing was spent where there is no bucket.
      cost_microcents: byTime.get(at) ?? 0,
      unpriced_calls: null,
    })),
    previous: previous === null ? null : { ...unknownCounts, cost_microcents: sumOf(true) },
  };
}

export function sumOfKinds(
  groups: readonly BreakdownGroup[],
  { window, previous, unitMs }: BreakdownShape,
): NonNullable<BreakdownAnswer["other"]> {
  const sum = (of: (group: BreakdownGroup) => number) =>
    groups.reduce((total, group) => total + of(group), 0);
  return {
    ...unknownCounts,
    cost_microcents: sum(({ cost_microcents }) => cost_microcents),
    series: timesOf(window, unitMs).map((at, index) => ({
      at: toIsoTime(at),
      call_count: null,
      cost_microcents: sum(({ series }) => series[index]?.cost_microcents ?? 0),
      unpriced_calls: null,
    })),
    previous:
      previous === null
        ? null
        : { ...unknownCounts, cost_microcents: sum(group => group.previous?.cost_microcents ?? 0) },
  };
}
