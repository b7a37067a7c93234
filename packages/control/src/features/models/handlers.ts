import type { modelOperations } from "@tollgate/core/contract/models";
import type { OutputOf } from "@tollgate/core/contract/operation";
import type { Operations } from "@tollgate/core/contract/operations";
import { fail } from "@tollgate/core/errors";
import { findModel } from "@tollgate/core/models/find-model";
import { type ModelFacts, modelsOf } from "@tollgate/core/models/model-facts";
import { savingsPct } from "@tollgate/core/models/savings-pct";
import { isProviderId, providerIds } from "@tollgate/core/provider-id";
import type { Handlers } from "../../kernel/handler.ts";

type ComparedModel = OutputOf<Operations["models.compare"]>["models"][number];

const MAX_MODELS = 50;
const MAX_PRICES = 100;

export const modelHandlers: Handlers<typeof modelOperations> = {
  /** Uses the price catalogue alone, so it works for an organization without any calls. */
  "models.compare": async ({ catalogue, now }, input) => {
    const at = new Date(now());
    const { provider, tier } = input;
    if (provider !== undefined && !isProviderId(provider)) {
      throw fail("invalid_request", `provider: must be one of ${providerIds.join(", ")}`);
    }
    const current = input.current_model === undefined ? null : findModel(catalogue, input.current_model, at);
    if (input.current_model !== undefined && current === null) {
      throw fail("invalid_request", "current_model: the price catalogue has no such model");
    }
    const matching = modelsOf(catalogue, { tier, provider }, at);
    return {
      models: matching.slice(0, MAX_MODELS).map(facts => compared(facts, current)),
      model_count: matching.length,
      omitted_count: Math.max(0, matching.length - MAX_MODELS),
      current_model_info: current && compared(current, current),
      compared_on: "list prices, three input tokens to one output token",
    };
  },

  "models.prices": async ({ catalogue, now }, input) => {
    const at = new Date(now());
    const names = [...new Set(input.models.split(",").filter(name => name !== ""))];
    if (names.length > MAX_PRICES) throw fail("invalid_request", `models: at most ${MAX_PRICES} names`);
    return {
      models: names.map(name => {
        const facts = findModel(catalogue, name, at);
        return { name, price: facts && compared(facts, null) };
      }),
    };
  },
};

function compared(facts: ModelFacts, current: ModelFacts | null): ComparedModel {
  return {
    model: facts.id,
    provider: facts.provider,
    tier: facts.tier,
    input_cost_per_1m_cents: facts.inputCentsPerMillion,
    output_cost_per_1m_cents: facts.outputCentsPerMillion,
    context_window: facts.contextWindow,
    supports_batch: facts.supportsBatch,
    supports_caching: facts.supportsCaching,
    is_legacy: facts.isLegacy,
    savings_vs_current_pct:
      current && savingsPct(current.blendedCentsPerMillion, facts.blendedCentsPerMillion),
  };
}
