import { type ModelFacts, modelsOf } from "../models/model-facts.ts";
import type { ModelTier } from "../models/model-tier.ts";
import type { Catalogue } from "../pricing/catalogue.ts";
import { costOfTokens, listRates, type TokenCounts } from "../pricing/cost-of-tokens.ts";
import type { ProviderId } from "../provider-id.ts";

export interface Substitute {
  readonly facts: ModelFacts;
  /** In 10⁻⁹ microcents, unrounded. */
  readonly exactCost: bigint;
}

interface SubstituteWanted {
  readonly tier: ModelTier;
  readonly isOf: (provider: ProviderId) => boolean;
  /** The longest prompt. A model whose window may be too small for it is not a substitute. */
  readonly maxInputTokens: number;
  readonly meanInputTokens: number;
  readonly tokens: TokenCounts;
}

/** The current model of a tier that would have cost least for these tokens. */
export function cheapestSubstitute(
  catalogue: Catalogue,
  atMs: number,
  wanted: SubstituteWanted,
): Substitute | null {
  let best: Substitute | null = null;
  for (const facts of modelsOf(catalogue, { tier: wanted.tier }, new Date(atMs))) {
    if (facts.isLegacy || !wanted.isOf(facts.provider)) continue;
    if (facts.contextWindow === null || facts.contextWindow < wanted.maxInputTokens) continue;
    const model = { provider: facts.provider, model: facts.id };
    const rates = listRates(catalogue, model, atMs, wanted.meanInputTokens);
    if (rates === null) continue;
    const exactCost = costOfTokens(wanted.tokens, rates);
    if (best === null || exactCost < best.exactCost) best = { facts, exactCost };
  }
  return best;
}
