import { groupDigits } from "../wire/group-digits.ts";
import { total } from "./agent-observation.ts";
import { minimums } from "./minimums.ts";
import { type SuggestionKind, suggestion } from "./suggestion.ts";

const SILENT_DAYS = 7;

/** An agent that stopped calling, or whose every call fails: it costs money without working. */
export const idleAgents: SuggestionKind = {
  type: "idle_agents",
  suggest(agent) {
    if (agent.isArchived || agent.silentDays === null) return null;
    const calls = total(agent, use => use.calls);
    const wasted = total(agent, use => use.error_cost_microcents);
    const isFailing = calls >= minimums.calls && total(agent, use => use.errors) === calls;
    if (agent.silentDays < SILENT_DAYS && !isFailing) return null;
    const silentDays = Math.floor(agent.silentDays);
    return suggestion(agent, {
      type: "idle_agents",
      title: isFailing ? `Stop ${agent.name} or fix it` : `Archive ${agent.name}`,
      description: monthly =>
        isFailing
          ? `All ${groupDigits(calls)} calls failed. They cost ${monthly} a month.`
          : `It has not called for ${silentDays} days.`,
      savedMicrocents: isFailing ? BigInt(wasted) : 0n,
      atBest: 0.9,
      // Silence is certain without any call.
      calls: isFailing ? calls : Number.MAX_SAFE_INTEGER,
      evidence: { calls, silent_days: silentDays, failed_cost_microcents: wasted },
      caveat: isFailing ? null : "Nothing is spent while it is silent; archiving keeps the lists short.",
      apply: null,
    });
  },
};
