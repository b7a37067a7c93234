import type { AgentObservation } from "./agent-observation.ts";
import { total } from "./agent-observation.ts";
import { batching } from "./batching.ts";
import { contextTrimming } from "./context-trimming.ts";
import { idleAgents } from "./idle-agents.ts";
import { minimums } from "./minimums.ts";
import { modelSwitch } from "./model-switch.ts";
import { promptCaching } from "./prompt-caching.ts";
import { retryStorms } from "./retry-storms.ts";
import type { ModelChoice, Suggestion, SuggestionKind } from "./suggestion.ts";
import { type SuggestionType, suggestionTypes } from "./suggestion-types.ts";
import { tokenGuardrails } from "./token-guardrails.ts";

/** Suggestions of one group overlap: applied together they would not save the sum. */
type Group = "spend" | "failures";

/** A new kind is a file, a name in `suggestionTypes` and a line here. */
const kinds: { readonly [type in SuggestionType]: readonly [SuggestionKind, Group] } = {
  model_switch: [modelSwitch, "spend"],
  token_guardrails: [tokenGuardrails, "spend"],
  prompt_caching: [promptCaching, "spend"],
  batching: [batching, "spend"],
  context_trimming: [contextTrimming, "spend"],
  retry_storms: [retryStorms, "failures"],
  idle_agents: [idleAgents, "failures"],
};

export interface SuggestionReport {
  /** Largest saving first. */
  readonly suggestions: readonly Suggestion[];
  readonly totalMonthlySavingsCents: number;
  readonly insufficient: readonly { readonly agent: AgentObservation; readonly reason: string }[];
}

export function suggest(agents: readonly AgentObservation[], models: ModelChoice): SuggestionReport {
  const suggestions = agents
    .flatMap(agent => suggestionTypes.flatMap(type => kinds[type][0].suggest(agent, models) ?? []))
    .toSorted(
      (a, b) =>
        b.impact_monthly_cents - a.impact_monthly_cents ||
        b.confidence - a.confidence ||
        (a.agent_id < b.agent_id ? -1 : 1),
    );
  return {
    suggestions,
    totalMonthlySavingsCents: totalOf(suggestions),
    insufficient: agents.flatMap(agent => {
      const calls = total(agent, use => use.calls);
      return agent.isArchived || calls >= minimums.calls
        ? []
        : [{ agent, reason: `${calls} calls in this period; at least ${minimums.calls} are needed` }];
    }),
  };
}

/** Only the suggestion with the largest expected saving (impact × confidence) per agent and group counts. */
function totalOf(suggestions: readonly Suggestion[]): number {
  const best = new Map<string, Suggestion>();
  for (const candidate of suggestions) {
    const key = `${kinds[candidate.type][1]} ${candidate.agent_id}`;
    const known = best.get(key);
    if (known === undefined || expected(candidate) > expected(known)) best.set(key, candidate);
  }
  // In integer microcents, because a sum of cents would be one of fractions.
  const sum = [...best.values()].reduce(
    (total, { impact_monthly_cents: cents }) => total + Math.round(cents * 100_000),
    0,
  );
  return sum / 100_000;
}

function expected({ impact_monthly_cents: cents, confidence }: Suggestion): number {
  return cents * confidence;
}
