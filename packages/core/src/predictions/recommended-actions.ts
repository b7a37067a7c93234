import type { PredictionType } from "./prediction.ts";

interface RecommendedAction {
  readonly action: string;
  readonly impact: "low" | "medium" | "high";
  readonly description: string;
}

/** Possible actions for each type, most effective first. */
export const recommendedActions: Readonly<Record<PredictionType, readonly RecommendedAction[]>> = {
  error_rate_breach: [
    {
      action: "inspect_failing_events",
      impact: "high",
      description:
        "List the agent's events with status error and see which provider, model or request they share.",
    },
    {
      action: "add_fallback_model",
      impact: "medium",
      description:
        "Configure a fallback model for the agent, so that a provider's failure does not reach the caller.",
    },
  ],
  latency_degradation: [
    {
      action: "compare_models",
      impact: "high",
      description:
        "Compare the latency of the agent's models and providers; move the slow part to a faster one.",
    },
    {
      action: "shorten_answers",
      impact: "medium",
      description: "Limit the answer's tokens or the prompt's length: both make calls faster.",
    },
  ],
  cost_overrun: [
    {
      action: "set_budget",
      impact: "high",
      description: "Set a budget that blocks, so that the cost cannot exceed the plan.",
    },
    {
      action: "use_cheaper_model",
      impact: "medium",
      description: "Find the model that causes the growth, and try a cheaper one.",
    },
  ],
  budget_exhaustion: [
    {
      action: "raise_budget",
      impact: "high",
      description: "Raise the limit before it is reached, if the spending is intended.",
    },
    {
      action: "reduce_calls",
      impact: "medium",
      description: "Pause or slow down what can wait until the period ends.",
    },
  ],
  rate_limit_risk: [
    {
      action: "raise_tier",
      impact: "high",
      description: "Change to a tier with a higher limit before calls are refused.",
    },
    {
      action: "spread_calls",
      impact: "medium",
      description: "Spread batch work over quiet hours, and retry refused calls after `Retry-After`.",
    },
  ],
};
