/** All checks; `checks_run` names them in this order. */
export const suggestionTypes = [
  "model_switch",
  "token_guardrails",
  "prompt_caching",
  "batching",
  "retry_storms",
  "context_trimming",
  "idle_agents",
] as const;

export type SuggestionType = (typeof suggestionTypes)[number];

/** What the gateway can do by itself: only these can be applied, and only these are ever `one_click`. */
export const optimizationTypes = ["model_switch", "token_guardrails", "prompt_caching"] as const;

export type OptimizationType = (typeof optimizationTypes)[number];

export function isOptimizationType(name: string): name is OptimizationType {
  return (optimizationTypes as readonly string[]).includes(name);
}

export function isSuggestionType(name: string): name is SuggestionType {
  return (suggestionTypes as readonly string[]).includes(name);
}
