import { total } from "./agent-observation.ts";
import { minimums } from "./minimums.ts";
import { type SuggestionKind, suggestion } from "./suggestion.ts";

const LEAST_RETRIES = 10;
const LEAST_SHARE = 0.05;

/** What is saved is what failed calls cost. A retry that succeeds is the call that was wanted, and saves nothing. */
export const retryStorms: SuggestionKind = {
  type: "retry_storms",
  suggest(agent) {
    const calls = total(agent, use => use.calls);
    const retries = total(agent, use => use.retry_calls);
    if (calls < minimums.calls || retries < LEAST_RETRIES || retries < LEAST_SHARE * calls) return null;
    const failed = total(agent, use => use.errors);
    const wasted = total(agent, use => use.error_cost_microcents);
    return suggestion(agent, {
      type: "retry_storms",
      title: `Let ${agent.name} wait before it tries again`,
      description: monthly =>
        `${retries} of ${calls} calls repeat a request that had failed within the minute before. Failed calls cost ` +
        `${monthly} a month, and the repeats hold up everything else.`,
      savedMicrocents: BigInt(wasted),
      atBest: 0.9,
      calls,
      evidence: { calls, failed_calls: failed, retried_calls: retries, failed_cost_microcents: wasted },
      caveat:
        "Providers charge for few failures: the gain is speed and room below their limits, more than money.",
      apply: null,
    });
  },
};
