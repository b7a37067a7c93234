import type { ModelTotals } from "@tollgate/storage/read-model/queries/usage-queries";

const MAX_MODELS = 200;
const OTHERS = "(other models)";

/**
 * The spec groups by model alone: the same name at two providers is one line. Highest cost first. Clients choose
 * model names freely, so after the first lines one line sums all others, and the lines still add up to the total.
 */
export function byModelName(totals: readonly ModelTotals[]): Omit<ModelTotals, "provider">[] {
  const lines = new Map<string, Omit<ModelTotals, "provider">>();
  for (const { provider: _provider, ...line } of totals) {
    const known = lines.get(line.model);
    lines.set(line.model, known === undefined ? line : sum(known, line));
  }
  const sorted = [...lines.values()].toSorted(
    (a, b) => b.cost_microcents - a.cost_microcents || b.calls - a.calls || (a.model < b.model ? -1 : 1),
  );
  if (sorted.length <= MAX_MODELS) return sorted;
  const others = sorted.slice(MAX_MODELS - 1).reduce(sum);
  return [...sorted.slice(0, MAX_MODELS - 1), { ...others, model: OTHERS }];
}

type Line = Omit<ModelTotals, "provider">;

function sum(a: Line, b: Line): Line {
  return {
    model: a.model,
    calls: a.calls + b.calls,
    errors: a.errors + b.errors,
    input_tokens: a.input_tokens + b.input_tokens,
    output_tokens: a.output_tokens + b.output_tokens,
    cost_microcents: a.cost_microcents + b.cost_microcents,
    unpriced_calls: a.unpriced_calls + b.unpriced_calls,
    latency_sum_ms: a.latency_sum_ms + b.latency_sum_ms,
  };
}
