import { divideHalfEven, RATE_SCALE } from "../money/money.ts";
import { atPricePaid } from "../pricing/cost-of-tokens.ts";
import { groupDigits } from "../wire/group-digits.ts";
import { type ModelObservation, total } from "./agent-observation.ts";
import { isWorth, minimums } from "./minimums.ts";
import { type SuggestionKind, suggestion } from "./suggestion.ts";

const MIN_CALLS = 10;
/** Not all of the history can be removed: a summary is assumed to save half of what was added. */
const TRIMMABLE = 2n;

export const contextTrimming: SuggestionKind = {
  type: "context_trimming",
  suggest(agent) {
    const calls = total(agent, use => use.calls);
    const grown = total(agent, use => use.grown_calls);
    const oversized = total(agent, use => use.oversized_calls);
    if (calls < minimums.calls || grown + oversized < MIN_CALLS) return null;
    const saved = agent.models.reduce((sum, use) => sum + excessCost(use), 0n) / TRIMMABLE;
    const cost = total(agent, use => use.cost_microcents);
    if (!isWorth(saved, cost, minimums.savingPct)) return null;
    return suggestion(agent, {
      type: "context_trimming",
      title: `Trim the context that ${agent.name} sends`,
      description: monthly =>
        `${groupDigits(grown)} calls had outgrown the first of their session, ${groupDigits(oversized)} filled over 60% of the model's ` +
        `window. Half of what was added costs ${monthly} a month.`,
      savedMicrocents: saved,
      atBest: 0.5,
      calls: grown + oversized,
      evidence: {
        calls,
        grown_calls: grown,
        grown_tokens: total(agent, use => use.grown_tokens),
        oversized_calls: oversized,
        oversized_tokens: total(agent, use => use.oversized_tokens),
      },
      caveat: "Summarise or drop old turns with care: what is left out is not known to the model any more.",
      apply: null,
    });
  },
};

/** The same tokens may be both: the larger counts. */
function excessCost(use: ModelObservation): bigint {
  if (use.facts === null) return 0n;
  const tokens = Math.max(use.grown_tokens, use.oversized_tokens);
  const { rates } = use.facts;
  return divideHalfEven(atPricePaid(BigInt(tokens) * rates.input, use, rates), RATE_SCALE);
}
