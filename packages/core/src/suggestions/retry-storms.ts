import { groupDigits } from "../wire/group-digits.ts";
import { total } from "./agent-observation.ts";
import { minimums } from "./minimums.ts";
import { type SuggestionKind, suggestion } from "./suggestion.ts";

const MIN_RETRIES = 10;
const MIN_SHARE = 0.05;

/** The saving is the cost of failed calls. A retry that succeeds was wanted, and saves nothing. */
export const retryStorms: SuggestionKind = {
  type: "retry_storms",
  suggest(agent) {
    const calls = total(agent, use => use.calls);
    const retries = total(agent, use => use.retry_calls);
    if (calls < minimums.calls || retries < MIN_RETRIES || retries < MIN_SHARE * calls) return null;
    const failed = total(agent, use => use.errors);
    const wasted = total(agent, use => use.error_cost_microcents);
    return suggestion(agent, {
      type: "retry_storms",
      title: `Let ${agent.name} wait before it retries`,
      description: monthly =>
        `${groupDigits(retries)} of ${groupDigits(calls)} calls repeat a request that failed within the previous minute. Failed calls cost ` +
        `${monthly} a month, and the repeats delay everything else.`,
      savedMicrocents: BigInt(wasted),
      atBest: 0.9,
      calls,
      evidence: { calls, failed_calls: failed, retried_calls: retries, failed_cost_microcents: wasted },
      caveat:
        "Providers charge for few failures: the gain is mostly speed and headroom below their limits, less money.",
      apply: null,
    });
  },
};
