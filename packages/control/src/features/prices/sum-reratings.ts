import type { OutputOf } from "@tollgate/core/contract/operation";
import type { Operations } from "@tollgate/core/contract/operations";
import type { ComparedRerating } from "@tollgate/storage/config/book-reratings";

type Answer = OutputOf<Operations["prices.rerating.preview"]>;
type Sums = Answer["total"];

const MAX_MODELS = 200;

/** The cost of calls as booked and as rerated, in total and by model. */
export function sumReratings(
  reratings: readonly ComparedRerating[],
): Pick<Answer, "total" | "by_model" | "omitted_models"> {
  const ofModels = Map.groupBy(reratings, ({ event }) => JSON.stringify([event.provider, event.model]));
  const rows = [...ofModels.values()].flatMap(some => {
    const [first] = some;
    if (first === undefined) return [];
    return [{ provider: first.event.provider, model: first.event.model, ...sumsOf(some) }];
  });
  const byDifference = rows.toSorted(
    (a, b) =>
      size(b.difference_microcents) - size(a.difference_microcents) ||
      size(b.booked.cost_microcents) - size(a.booked.cost_microcents),
  );
  return {
    total: sumsOf(reratings),
    by_model: byDifference.slice(0, MAX_MODELS),
    omitted_models: Math.max(0, rows.length - MAX_MODELS),
  };
}

function sumsOf(reratings: readonly ComparedRerating[]): Sums {
  const booked = costOf(reratings.map(bookedCost));
  const rerated = costOf(reratings.map(reratedCost));
  const changed = reratings.flatMap(({ adjustment }) => adjustment?.amount_microcents ?? []);
  return {
    call_count: reratings.length,
    changed_calls: changed.length,
    booked,
    rerated,
    difference_microcents:
      rerated.cost_microcents === null ? null : changed.reduce((sum, amount) => sum + amount, 0),
  };
}

/** null: unknown. */
function bookedCost({ event, adjustedMicrocents }: ComparedRerating): number | null {
  if (adjustedMicrocents !== undefined) return event.cost_microcents + adjustedMicrocents;
  return event.cost_basis === "unpriced" ? null : event.cost_microcents;
}

function reratedCost(rerating: ComparedRerating): number | null {
  return rerating.rerated?.costMicrocents ?? bookedCost(rerating);
}

function costOf(costs: readonly (number | null)[]): Sums["booked"] {
  const known = costs.filter(cost => cost !== null);
  return {
    cost_microcents:
      known.length === 0 && costs.length > 0 ? null : known.reduce((sum, cost) => sum + cost, 0),
    unpriced_calls: costs.length - known.length,
  };
}

/** For the order only: unknown costs come last. */
function size(microcents: number | null): number {
  return microcents === null ? -1 : Math.abs(microcents);
}
