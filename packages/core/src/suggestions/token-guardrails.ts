import { divideHalfEven, RATE_SCALE } from "../money/money.ts";
import { atPricePaid } from "../pricing/cost-of-tokens.ts";
import { groupDigits } from "../wire/group-digits.ts";
import { type AgentObservation, type ModelObservation, total } from "./agent-observation.ts";
import { isWorth, minimums } from "./minimums.ts";
import { type SuggestionKind, suggestion } from "./suggestion.ts";

/** At least this share of the answers stays unchanged. */
const UNTOUCHED_SHARE = 0.98;
/** A lower limit saves little and cuts many answers. */
const MIN_BOUND_TOKENS = 256;
/** The longest answer has to be an outlier, not part of a gradual distribution. */
const OUTLIER_FACTOR = 2;

/**
 * An output limit that at most 2 of 100 answers would have reached. The saving is a lower bound: only the range of an
 * answer's length is known, and the lower end of the range counts.
 */
export const tokenGuardrails: SuggestionKind = {
  type: "token_guardrails",
  suggest(agent) {
    const answered = total(agent, use => use.outputs.reduce((sum, { calls }) => sum + calls, 0));
    if (answered < minimums.guardrailCalls) return null;
    const bound = boundOf(agent, answered);
    if (bound === null) return null;
    const longest = Math.max(...agent.models.map(use => use.max_output_tokens));
    if (longest < OUTLIER_FACTOR * bound) return null;
    const inForce = agent.appliedOptimizations.get("token_guardrails")?.max_output_tokens;
    if (typeof inForce === "number" && inForce <= bound) return null;
    const saved = agent.models.reduce((sum, use) => sum + excessCost(use, bound), 0n);
    const cost = total(agent, use => use.cost_microcents);
    if (!isWorth(saved, cost, minimums.savingPct)) return null;
    const over = total(agent, use => callsOver(use, bound));
    return suggestion(agent, {
      type: "token_guardrails",
      title: `Limit the answers of ${agent.name} to ${bound} tokens`,
      description: monthly =>
        `${groupDigits(answered - over)} of ${groupDigits(answered)} answers were shorter than ${bound} tokens; the longest had ${longest}. ` +
        `The part beyond the limit costs at least ${monthly} a month.`,
      savedMicrocents: saved,
      atBest: 0.7,
      calls: answered,
      evidence: {
        answers: answered,
        answers_over_bound: over,
        longest_answer_tokens: longest,
        max_output_tokens: bound,
      },
      caveat: "Answers that reach the bound are cut off there.",
      apply: { type: "token_guardrails", payload: { max_output_tokens: bound } },
    });
  },
};

/** The lowest end of a range that enough answers stay under. Every model has the same ranges. */
function boundOf(agent: AgentObservation, answered: number): number | null {
  let under = 0;
  for (const [range, { below }] of (agent.models[0]?.outputs ?? []).entries()) {
    if (below === null) return null;
    under += total(agent, use => use.outputs[range]?.calls ?? 0);
    if (below >= MIN_BOUND_TOKENS && under >= UNTOUCHED_SHARE * answered) return below;
  }
  return null;
}

function callsOver(use: ModelObservation, bound: number): number {
  return use.outputs.reduce(
    (sum, { below, calls }) => sum + (below === null || below > bound ? calls : 0),
    0,
  );
}

function excessCost(use: ModelObservation, bound: number): bigint {
  if (use.facts === null) return 0n;
  let tokens = 0;
  let start = 0;
  let last = 0;
  for (const { below, calls } of use.outputs) {
    if (start >= bound && calls > 0) {
      tokens += calls * (start - bound);
      last = start;
    }
    start = below ?? start;
  }
  // The length of the longest answer is known: it is in the last non-empty range.
  if (last > 0) tokens += use.max_output_tokens - last;
  const { rates } = use.facts;
  return divideHalfEven(atPricePaid(BigInt(Math.max(0, tokens)) * rates.output, use, rates), RATE_SCALE);
}
