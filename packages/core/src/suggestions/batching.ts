import { batchDiscountPct } from "../models/curated-models.ts";
import { divideHalfEven, RATE_SCALE } from "../money/money.ts";
import { paidForTokens, tokensOf } from "../pricing/cost-of-tokens.ts";
import { groupDigits } from "../wire/group-digits.ts";
import { type ModelObservation, total } from "./agent-observation.ts";
import { isWorth, minimums } from "./minimums.ts";
import { type SuggestionKind, suggestion } from "./suggestion.ts";

/** This many session-less calls suggest a batch job: a guess, not a stated fact. */
const UNATTENDED_CALLS = 1000;

/**
 * A provider's batch API answers within a day at a lower price. Events do not show whether answers can wait: the
 * agent's metadata may (`background: true`), or many session-less calls suggest it.
 */
export const batching: SuggestionKind = {
  type: "batching",
  suggest(agent) {
    const uses = agent.models.filter(use => use.facts?.supportsBatch);
    const calls = uses.reduce((sum, use) => sum + use.calls, 0);
    if (calls < minimums.calls) return null;
    const seemsUnattended = calls >= UNATTENDED_CALLS && total(agent, use => use.sessions) === 0;
    if (!agent.isBackground && !seemsUnattended) return null;
    const saved = uses.reduce((sum, use) => sum + discount(use), 0n);
    const cost = total(agent, use => use.cost_microcents);
    if (!isWorth(saved, cost, minimums.savingPct)) return null;
    return suggestion(agent, {
      type: "batching",
      title: `Send the calls of ${agent.name} in batches`,
      description: monthly =>
        `${groupDigits(calls)} calls ${agent.isBackground ? "of a background agent" : "belong to no session"}. With the provider's ` +
        `batch API they would cost ${monthly} a month less.`,
      savedMicrocents: saved,
      atBest: agent.isBackground ? 0.7 : 0.3,
      calls,
      evidence: { calls, sessions: total(agent, use => use.sessions), is_background: agent.isBackground },
      caveat:
        "Only if nobody waits for the answers: a batch is answered within 24 hours, and does not pass through the gateway.",
      apply: null,
    });
  },
};

/** Fees, such as those of searches, are not discounted. */
function discount(use: ModelObservation): bigint {
  if (use.facts === null) return 0n;
  const { provider, rates } = use.facts;
  const paid = paidForTokens(use.cost_microcents, tokensOf(use), rates);
  return divideHalfEven(paid * BigInt(batchDiscountPct[provider]), 100n * RATE_SCALE);
}
