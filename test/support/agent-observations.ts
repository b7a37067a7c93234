import { modelFacts, modelsOf } from "@tollgate/core/models/model-facts";
import { createCatalogue } from "@tollgate/core/pricing/catalogue";
import type { ProviderId } from "@tollgate/core/provider-id";
import type { AgentObservation, ModelObservation } from "@tollgate/core/suggestions/agent-observation";
import { suggest } from "@tollgate/core/suggestions/suggest";
import type { Suggestion } from "@tollgate/core/suggestions/suggestion";
import type { SuggestionType } from "@tollgate/core/suggestions/suggestion-types";

const catalogue = createCatalogue();
const day = new Date("2026-11-15T00:00:00Z");
export const models = modelsOf(catalogue, {}, day);

/** `each`: input and output tokens per call, at list price. */
export function use(
  provider: ProviderId,
  model: string,
  calls: number,
  each: { readonly input: number; readonly output: number },
  change: Partial<ModelObservation> = {},
): ModelObservation {
  const facts = modelFacts(catalogue, provider, model, day);
  if (!facts) throw new Error(`${model} is not known`);
  const input = calls * each.input;
  const output = calls * each.output;
  return {
    provider,
    model,
    facts,
    calls,
    errors: 0,
    error_cost_microcents: 0,
    retry_calls: 0,
    input_tokens: input,
    uncached_input_tokens: input,
    cache_read_tokens: 0,
    cache_write_tokens: 0,
    cache_write_1h_tokens: 0,
    output_tokens: output,
    // $1 per million tokens is 10 microcents per token, and a cent per million a tenth of one.
    cost_microcents: Math.round(
      (input * facts.inputCentsPerMillion + output * facts.outputCentsPerMillion) / 10,
    ),
    short_calls: each.output < 100 ? calls : 0,
    cacheable_calls: 0,
    cacheable_tokens: 0,
    cacheable_5m_calls: 0,
    cacheable_5m_tokens: 0,
    cacheable_5m_start_tokens: 0,
    oversized_calls: 0,
    oversized_tokens: 0,
    sessions: calls,
    grown_calls: 0,
    grown_tokens: 0,
    max_input_tokens: each.input,
    max_output_tokens: each.output,
    outputs: [
      { below: 256, calls: each.output < 256 ? calls : 0 },
      { below: 1024, calls: each.output >= 256 && each.output < 1024 ? calls : 0 },
      { below: 4096, calls: each.output >= 1024 && each.output < 4096 ? calls : 0 },
      { below: null, calls: each.output >= 4096 ? calls : 0 },
    ],
    ...change,
  };
}

export function agent(
  uses: readonly ModelObservation[],
  change: Partial<AgentObservation> = {},
): AgentObservation {
  return {
    agentId: "a",
    name: "helper",
    isBackground: false,
    isArchived: false,
    observedDays: 10,
    silentDays: 0,
    models: uses,
    appliedOptimizations: new Map(),
    worseModels: new Set(),
    ...change,
  };
}

export function suggestionOf(type: SuggestionType, one: AgentObservation): Suggestion | undefined {
  return suggest([one], models).suggestions.find(suggestion => suggestion.type === type);
}
