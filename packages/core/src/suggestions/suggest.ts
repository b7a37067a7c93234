import { MICROCENTS_PER_CENT } from "../money/money.ts";
import { MONTH_DAYS } from "../time/observed-days.ts";
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

/**
 * Suggestions of one group overlap: applied together they would not save the sum. What a call no longer costs because it
 * does not fail any more cannot be saved again by changing the call.
 */
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
  /** The same in the observed days, as they were. */
  readonly savedMicrocents: number;
  /** Whether an agent has enough calls; if none has, savings are not zero but unknown. */
  readonly hasEnoughCalls: boolean;
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
  const byAgent = Map.groupBy(suggestions, ({ agent_id: id }) => id);
  const monthly = agents.map(agent => ({
    agent,
    saved: monthlySaving(agent, byAgent.get(agent.agentId) ?? []),
  }));
  return {
    suggestions,
    totalMonthlySavingsCents: monthly.reduce((sum, { saved }) => sum + saved, 0) / MICROCENTS_PER_CENT,
    savedMicrocents: monthly.reduce(
      (sum, { agent, saved }) => sum + Math.round((saved * agent.observedDays) / MONTH_DAYS),
      0,
    ),
    hasEnoughCalls: agents.some(hasEnoughCalls),
    insufficient: agents.flatMap(agent => {
      const calls = total(agent, use => use.calls);
      return agent.isArchived || hasEnoughCalls(agent)
        ? []
        : [
            {
              agent,
              reason: `${calls} ${calls === 1 ? "call" : "calls"} in this period; at least ${minimums.calls} are needed`,
            },
          ];
    }),
  };
}

function hasEnoughCalls(agent: AgentObservation): boolean {
  return total(agent, use => use.calls) >= minimums.calls;
}

/**
 * In integer microcents. Of each group only the suggestion with the largest expected saving (impact × confidence)
 * counts, and the one about spending only for the part of the cost that is left without failed calls.
 */
function monthlySaving(agent: AgentObservation, suggestions: readonly Suggestion[]): number {
  const cost = (total(agent, use => use.cost_microcents) * MONTH_DAYS) / agent.observedDays;
  const failures = best(suggestions, "failures");
  const spend = cost <= 0 ? 0 : Math.min(best(suggestions, "spend"), cost) * (1 - failures / cost);
  return failures + Math.max(0, Math.round(spend));
}

function best(suggestions: readonly Suggestion[], group: Group): number {
  const [first] = suggestions
    .filter(({ type }) => kinds[type][1] === group)
    .toSorted((a, b) => expected(b) - expected(a));
  return first === undefined ? 0 : Math.round(first.impact_monthly_cents * MICROCENTS_PER_CENT);
}

function expected({ impact_monthly_cents: cents, confidence }: Suggestion): number {
  return cents * confidence;
}
