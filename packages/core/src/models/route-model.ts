import type { ModelFacts } from "./model-facts.ts";
import { type ModelTier, modelTiers } from "./model-tier.ts";

export const taskComplexities = ["low", "medium", "high"] as const;

export type TaskComplexity = (typeof taskComplexities)[number];

/** A model that the agent has called, and how often. */
interface OwnModel {
  readonly facts: ModelFacts;
  readonly calls: number;
}

const tierFor: { readonly [complexity in TaskComplexity]: ModelTier } = {
  low: "efficient",
  medium: "balanced",
  high: "frontier",
};

/**
 * One model per complexity: the agent's own model of the wanted tier, otherwise the cheapest of that tier. An agent's
 * frontier model handles hard tasks, and the others are chosen below it; otherwise its middle model stays, and one
 * above it is chosen. Neither input nor output is ever more expensive for an easier task than for a harder one, so low
 * ≤ medium ≤ high for every mix of the two.
 */
export function routeModel(
  candidates: readonly ModelFacts[],
  own: readonly OwnModel[],
): { readonly [complexity in TaskComplexity]: ModelFacts } | null {
  const anchor = own.some(({ facts }) => isUsable(facts) && facts.tier === "frontier") ? "high" : "medium";
  const first = pick(candidates, own, anchor, () => true);
  if (first === null) return null;
  const medium =
    anchor === "medium"
      ? first
      : (pick(candidates, own, "medium", model => isNotDearer(model, first)) ?? first);
  const high =
    anchor === "high" ? first : (pick(candidates, own, "high", model => isNotDearer(first, model)) ?? first);
  return { high, medium, low: pick(candidates, own, "low", model => isNotDearer(model, medium)) ?? medium };
}

export function isNotDearer(model: ModelFacts, than: ModelFacts): boolean {
  return model.rates.input <= than.rates.input && model.rates.output <= than.rates.output;
}

function pick(
  candidates: readonly ModelFacts[],
  own: readonly OwnModel[],
  complexity: TaskComplexity,
  mayBe: (model: ModelFacts) => boolean,
): ModelFacts | null {
  const wanted = modelTiers.indexOf(tierFor[complexity]);
  const order = modelTiers.toSorted((a, b) => distance(a, wanted) - distance(b, wanted));
  for (const tier of order) {
    const used = own
      .filter(({ facts }) => facts.tier === tier && isUsable(facts) && mayBe(facts))
      .toSorted((a, b) => b.calls - a.calls)[0];
    if (used) return used.facts;
    const cheapest = candidates
      .filter(facts => facts.tier === tier && mayBe(facts))
      .toSorted((a, b) => a.blendedCentsPerMillion - b.blendedCentsPerMillion)[0];
    if (cheapest) return cheapest;
  }
  return null;
}

function isUsable({ isGeneral, isLegacy }: ModelFacts): boolean {
  return isGeneral && !isLegacy;
}

/** The wanted tier, then those below it, nearest first, then those above. */
function distance(tier: ModelTier, wanted: number): number {
  const steps = modelTiers.indexOf(tier) - wanted;
  return steps >= 0 ? steps : modelTiers.length - steps;
}
