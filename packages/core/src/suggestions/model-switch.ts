import type { ModelFacts } from "../models/model-facts.ts";
import { type ModelTier, stepsDown } from "../models/model-tier.ts";
import { savingsPct } from "../models/savings-pct.ts";
import { divideHalfEven, RATE_SCALE } from "../money/money.ts";
import { costOfTokens, paidForTokens, tokensOf } from "../pricing/cost-of-tokens.ts";
import { groupDigits } from "../wire/group-digits.ts";
import type { AgentObservation, ModelObservation } from "./agent-observation.ts";
import { isWorth, minimums } from "./minimums.ts";
import { type ModelChoice, type SuggestionKind, suggestion } from "./suggestion.ts";

/** Simple work: short answers to short prompts. */
const MOSTLY_SHORT = 0.5;
const NEARLY_ALL_SHORT = 0.8;
const SIMPLE_INPUT_TOKENS = 2000;

interface Priced extends ModelObservation {
  readonly facts: ModelFacts;
}

/**
 * The gateway sends every call of the agent to the other model, so all models that it uses count, even cheaper ones.
 * How far down it may go depends on the answers: one tier; to `efficient` if half of them are short; to `budget` only
 * if nearly all are short and the prompts are too. Fees (searches, another model's usage within a call) would be charged
 * there too, so only what was paid for tokens can be saved.
 */
export const modelSwitch: SuggestionKind = {
  type: "model_switch",
  suggest(agent, models) {
    const replaceable = agent.models.filter(isReplaceable).filter(use => isStillUsed(agent, use));
    const [main] = replaceable;
    if (main === undefined) return null;
    const uses = replaceable.filter(use => use.provider === main.provider);
    const calls = sum(uses, use => use.calls);
    if (calls < minimums.calls) return null;
    const cost = sum(uses, use => use.cost_microcents);
    const found = cheapest(
      uses,
      main,
      models.filter(({ id }) => !agent.worseModels.has(id)),
    );
    if (found === null) return null;
    const { target, tokenCost } = found;
    const paid = uses.reduce(
      (sum, use) => sum + paidForTokens(use.cost_microcents, tokensOf(use), use.facts.rates),
      0n,
    );
    const saved = divideHalfEven(paid - tokenCost, RATE_SCALE);
    const costAtTarget = cost - Number(saved);
    if (!isWorth(saved, cost, minimums.switchSavingPct)) return null;
    const shortShare = sum(uses, use => use.short_calls) / calls;
    const isSimple = lowestTier(uses) === "budget";
    return suggestion(agent, {
      type: "model_switch",
      title: `Switch ${agent.name} from ${main.facts.id} to ${target.id}`,
      description: monthly =>
        `${groupDigits(calls)} calls to ${names(uses)} would have cost ${savingsPct(cost, costAtTarget)}% less with ` +
        `${target.id} (${target.tier} instead of ${main.facts.tier}): ${monthly} a month.`,
      savedMicrocents: saved,
      atBest: isSimple ? 0.8 : 0.6,
      calls,
      evidence: {
        calls,
        current_model: main.facts.id,
        current_tier: main.facts.tier,
        recommended_model: target.id,
        recommended_tier: target.tier,
        cost_at_recommended_microcents: costAtTarget,
        short_answer_share: Math.round(shortShare * 1000) / 1000,
        average_input_tokens: Math.round(sum(uses, use => use.input_tokens) / calls),
        average_output_tokens: Math.round(sum(uses, use => use.output_tokens) / calls),
      },
      caveat:
        "Prices are known, the quality of the answers is not: try it in an experiment first if it matters.",
      apply: { type: "model_switch", payload: { model: target.id } },
    });
  },
};

function isReplaceable(use: ModelObservation): use is Priced {
  return use.facts?.isGeneral === true && use.calls > 0;
}

/** After a switch, the models used before say nothing about further savings. */
function isStillUsed(agent: AgentObservation, use: Priced): boolean {
  const switched = agent.appliedOptimizations.get("model_switch");
  return switched === undefined || switched.model === use.model || switched.model === use.facts.id;
}

/** `tokenCost`: of the same tokens at its list price, in 10⁻⁹ microcents, unrounded. */
function cheapest(uses: readonly Priced[], main: Priced, models: ModelChoice) {
  const lowest = lowestTier(uses);
  const longestPrompt = Math.max(...uses.map(use => use.max_input_tokens));
  const longestAnswer = Math.max(...uses.map(use => use.max_output_tokens));
  const readsCache = uses.some(use => use.cache_read_tokens > 0);
  let best: { readonly target: ModelFacts; readonly tokenCost: bigint } | null = null;
  for (const target of models) {
    const steps = stepsDown(main.facts.tier, target.tier);
    const deepest = lowest === "one down" ? 1 : stepsDown(main.facts.tier, lowest);
    if (target.provider !== main.provider || target.isLegacy || steps < 1 || steps > deepest) continue;
    if (target.doesReason !== main.facts.doesReason) continue;
    // The length of the answers limits how far down the tier may go, however near the price is.
    if (target.tier === "budget" && lowest !== "budget") continue;
    if (target.contextWindow === null || target.contextWindow < 1.25 * longestPrompt + longestAnswer)
      continue;
    if (readsCache && !target.supportsCaching) continue;
    const tokenCost = uses.reduce((sum, use) => sum + costOfTokens(tokensOf(use), target.rates), 0n);
    if (best === null || tokenCost < best.tokenCost) best = { target, tokenCost };
  }
  return best;
}

function lowestTier(uses: readonly Priced[]): ModelTier | "one down" {
  const calls = sum(uses, use => use.calls);
  const short = sum(uses, use => use.short_calls) / calls;
  const input = sum(uses, use => use.input_tokens) / calls;
  if (short >= NEARLY_ALL_SHORT && input <= SIMPLE_INPUT_TOKENS) return "budget";
  return short >= MOSTLY_SHORT ? "efficient" : "one down";
}

function names(uses: readonly Priced[]): string {
  const ids = [...new Set(uses.map(({ facts }) => facts.id))];
  return ids.length <= 2 ? ids.join(" and ") : `${ids[0]} and ${ids.length - 1} others`;
}

function sum(uses: AgentObservation["models"], of: (use: ModelObservation) => number): number {
  return uses.reduce((total, use) => total + of(use), 0);
}
