import { centsPerMillion } from "../money/money.ts";
import { volumeConfidence } from "../statistics/volume-confidence.ts";
import type { ModelFacts } from "./model-facts.ts";
import { routeModel, type TaskComplexity } from "./route-model.ts";
import { savingsPct } from "./savings-pct.ts";

export interface UsedModel {
  readonly provider: string;
  readonly model: string;
  readonly calls: number;
  readonly errors: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  /** null: the price is unknown. */
  readonly facts: ModelFacts | null;
}

interface RouteQuestion {
  readonly complexity: TaskComplexity;
  /** All models that could be recommended. */
  readonly models: readonly ModelFacts[];
  /** Most called first. */
  readonly used: readonly UsedModel[];
  readonly currentName: string | null;
  readonly current: ModelFacts | null;
}

interface DescribedRoute {
  readonly recommended_model: string;
  readonly provider: string;
  readonly current_model: string | null;
  readonly estimated_savings_pct: number | null;
  readonly confidence: number;
  readonly reason: string;
}

/** Prices are known, quality is not: with any number of calls, this is only a rule. */
const MAX_CONFIDENCE = 0.7;
const UNTRIED = 0.5;
/** List prices are known without any call. */
const MIN_CONFIDENCE = 0.1;
const FAILS_OFTEN = 0.05;

export function describeRoute(question: RouteQuestion): DescribedRoute | null {
  const { complexity, used, current, currentName } = question;
  // The provider that the agent already uses: another one would need another key. Otherwise the choice is free.
  const provider = used.find(({ facts }) => facts?.isGeneral)?.facts?.provider ?? current?.provider ?? null;
  const calls = sum(used, ({ calls }) => calls);
  const inputTokens = sum(used, use => use.input_tokens);
  const outputTokens = sum(used, use => use.output_tokens);
  const perCall = calls === 0 ? 0 : (inputTokens + outputTokens) / calls;
  const candidates = question.models.filter(
    facts =>
      !facts.isLegacy &&
      (provider === null || facts.provider === provider) &&
      // Twice the average call, because calls vary.
      (facts.contextWindow === null || facts.contextWindow >= 2 * perCall),
  );
  const own = used.flatMap(({ facts, calls }) =>
    facts !== null && (provider === null || facts.provider === provider) ? [{ facts, calls }] : [],
  );
  const chosen = routeModel(candidates, own)?.[complexity];
  if (chosen === undefined) return null;

  const price = (facts: ModelFacts) =>
    inputTokens + outputTokens === 0
      ? facts.blendedCentsPerMillion
      : centsPerMillion(facts.rates.input) * inputTokens + centsPerMillion(facts.rates.output) * outputTokens;
  const tried = used.filter(({ facts }) => facts?.provider === chosen.provider && facts.id === chosen.id);
  const triedCalls = sum(tried, ({ calls }) => calls);
  const failed = sum(tried, ({ errors }) => errors);
  const isProven = triedCalls > 0 && failed / triedCalls <= FAILS_OFTEN;
  return {
    recommended_model: chosen.id,
    provider: chosen.provider,
    current_model: currentName,
    estimated_savings_pct: current && savingsPct(price(current), price(chosen)),
    confidence: Math.max(MIN_CONFIDENCE, volumeConfidence(calls, isProven ? MAX_CONFIDENCE : UNTRIED)),
    reason: reasonOf(complexity, chosen, current, provider, calls, triedCalls),
  };
}

function reasonOf(
  complexity: TaskComplexity,
  chosen: ModelFacts,
  current: ModelFacts | null,
  provider: string | null,
  calls: number,
  triedCalls: number,
): string {
  const where = provider === null ? "of all providers" : `at ${provider}, whose key the agent uses`;
  const known =
    triedCalls > 0
      ? `The agent has called it ${triedCalls} times in 30 days.`
      : calls > 0
        ? "The agent has not called it yet: try it in an experiment first."
        : "The agent has no calls to learn from, so this is by list prices alone.";
  if (current !== null && current.id === chosen.id && current.provider === chosen.provider) {
    return `The current model is already the one for tasks of ${complexity} complexity (tier ${chosen.tier}).`;
  }
  return `For tasks of ${complexity} complexity: tier ${chosen.tier} ${where}. ${known}`;
}

function sum<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}
