import { DEFAULT_TOKENS_PER_SECOND } from "@tollgate/core/pricing/estimate";
import type { RecentPace } from "@tollgate/storage/ledger/recent-events";

/** The latency of a short answer is mostly the connection's: it says nothing about the model's pace. */
const ENOUGH_TOKENS = 100;
/** Outside of these, it was a cache or a hiccup that was measured, not a model. */
const SLOWEST = 10;
const FASTEST = 2000;
/** How much a new answer moves what is known, once a few are; before that the default weighs as much as three of them. */
const WEIGHT = 0.1;
const DEFAULT_WEIGHS = 3;
/** The lower bound, as a share of the default: a client that slows its answers must not make cut calls free. */
const LEAST_SHARE = 0.2;
/** Models are named by callers: without a bound, inventing names would fill the memory. */
const MAX_MODELS = 10_000;

interface Pace {
  tokensPerSecond: number;
  answers: number;
}

/**
 * Tokens per second of each model, hidden ones included, learned from complete answers with provider-reported
 * usage. It estimates the unseen output of cut calls. Each organization learns from its own calls only, so none can
 * change another's estimates.
 */
export class AnswerPace {
  /** The oldest first. */
  readonly #paces = new Map<string, Pace>();

  learn(answer: RecentPace): void {
    if (answer.output_tokens < ENOUGH_TOKENS || answer.latency_ms <= 0) return;
    if (answer.mode !== "live" || answer.status !== "success" || answer.usage_source !== "provider") return;
    const measured = (answer.output_tokens * 1000) / answer.latency_ms;
    const pace = Math.min(Math.max(measured, SLOWEST), FASTEST);
    const known = this.#paceOf(keyOf(answer.org_id, answer.provider, answer.model));
    known.answers++;
    const weight = Math.max(WEIGHT, 1 / (known.answers + DEFAULT_WEIGHS));
    known.tokensPerSecond += weight * (pace - known.tokensPerSecond);
  }

  tokensPerSecond(orgId: string, provider: string, model: string): number {
    const known = this.#paces.get(keyOf(orgId, provider, model));
    if (known === undefined) return DEFAULT_TOKENS_PER_SECOND;
    return Math.max(known.tokensPerSecond, LEAST_SHARE * DEFAULT_TOKENS_PER_SECOND);
  }

  #paceOf(key: string): Pace {
    let known = this.#paces.get(key);
    if (known === undefined) {
      if (this.#paces.size >= MAX_MODELS) this.#paces.delete(this.#paces.keys().next().value ?? "");
      known = { tokensPerSecond: DEFAULT_TOKENS_PER_SECOND, answers: 0 };
      this.#paces.set(key, known);
    }
    return known;
  }
}

/** Neither an organization's id nor a provider has a line break. */
function keyOf(orgId: string, provider: string, model: string): string {
  return `${orgId}\n${provider}\n${model}`;
}
