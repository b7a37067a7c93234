import { divideHalfEven, RATE_SCALE } from "../money/money.ts";
import { needsCacheMarks } from "../pricing/billing/needs-cache-marks.ts";
import { atPricePaid } from "../pricing/cost-of-tokens.ts";
import { groupDigits } from "../wire/group-digits.ts";
import { type ModelObservation, total } from "./agent-observation.ts";
import { isWorth, minimums } from "./minimums.ts";
import { type SuggestionKind, suggestion } from "./suggestion.ts";

/**
 * Anthropic caches only marked content, so the gateway can mark it: calculated for a cache lifetime of five minutes,
 * minus the cost of writing. Other providers cache equal prefixes automatically; if they did not, only the caller can
 * change the prompt.
 */
export const promptCaching: SuggestionKind = {
  type: "prompt_caching",
  suggest(agent) {
    const cost = total(agent, use => use.cost_microcents);
    const marked = agent.models.filter(needsCacheMarks);
    const byItself = agent.models.filter(use => !needsCacheMarks(use));
    const savedByMarking = marked.reduce((sum, use) => sum + savedByBreakpoints(use), 0n);
    const savedByOrder = byItself.reduce((sum, use) => sum + savedByOrdering(use), 0n);
    const isOneClick = savedByMarking >= savedByOrder && savedByMarking > 0n;
    const uses = isOneClick ? marked : byItself;
    const count = (of: (use: ModelObservation) => number) => uses.reduce((sum, use) => sum + of(use), 0);
    const repeats = count(use => (isOneClick ? use.cacheable_5m_calls : use.cacheable_calls));
    const saved = isOneClick ? savedByMarking : savedByOrder;
    if (repeats < minimums.calls || !isWorth(saved, cost, minimums.savingPct)) return null;
    if (isOneClick && agent.appliedOptimizations.has("prompt_caching")) return null;
    const tokens = count(use => (isOneClick ? use.cacheable_5m_tokens : use.cacheable_tokens));
    return suggestion(agent, {
      type: "prompt_caching",
      title: `Cache the prompts of ${agent.name}`,
      description: monthly =>
        `${groupDigits(repeats)} calls shared a prefix with one ${isOneClick ? "of the previous five minutes" : "of the previous hour"} and read no ` +
        `cache: ${groupDigits(tokens)} tokens at full price. Cached they would cost ${monthly} a month less.`,
      savedMicrocents: saved,
      atBest: isOneClick ? 0.9 : 0.4,
      calls: repeats,
      evidence: {
        calls: count(use => use.calls),
        repeated_prompts: repeats,
        cacheable_tokens: tokens,
        cache_read_tokens: count(use => use.cache_read_tokens),
        cache_lifetime_minutes: isOneClick ? 5 : 60,
      },
      caveat: isOneClick
        ? "Writing a cache costs a quarter more than plain input: traffic that becomes rarer could lose by it."
        : "The provider caches by itself: put what never changes first, and keep it identical in every call.",
      apply: isOneClick ? { type: "prompt_caching", payload: {} } : null,
    });
  },
};

function savedByBreakpoints(use: ModelObservation): bigint {
  if (!use.facts?.supportsCaching) return 0n;
  const { rates } = use.facts;
  const { input, cache_read: read, cache_write: write } = rates;
  const saved =
    BigInt(use.cacheable_5m_tokens) * (input - read) -
    BigInt(use.cacheable_5m_start_tokens) * (write - input);
  return divideHalfEven(atPricePaid(saved, use, rates), RATE_SCALE);
}

function savedByOrdering(use: ModelObservation): bigint {
  if (!use.facts?.supportsCaching) return 0n;
  const { rates } = use.facts;
  const saved = BigInt(use.cacheable_tokens) * (rates.input - rates.cache_read);
  return divideHalfEven(atPricePaid(saved, use, rates), RATE_SCALE);
}
