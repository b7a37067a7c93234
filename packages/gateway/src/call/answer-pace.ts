import { DEFAULT_TOKENS_PER_SECOND } from "@tollgate/core/pricing/estimate";
import type { RecentPace } from "@tollgate/storage/ledger/recent-events";

/** The latency of a short answer is mostly the connection's and says nothing about the model's pace. */
const ENOUGH_TOKENS = 100;
/** A pace outside these bounds measures a cache or a hiccup, not a model. */
const MIN_TOKENS_PER_SECOND = 10;
const MAX_TOKENS_PER_SECOND = 2000;
/** Weight of a new answer once a few are known; at first the default weighs as much as three of them. */
const WEIGHT = 0.1;
const DEFAULT_WEIGHT = 3;
/** The lower bound, as a share of the default: a client that slows its answers must not make cut calls free. */
const MIN_SHARE = 0.2;
/** Callers name models freely, so an unbounded map could be used to exhaust memory. */
const MAX_MODELS = 10_000;

interface Pace {
  tokensPerSecond: number;
  answers: number;
}

/**
 * Tokens per second of each model, including hidden ones, learned from complete answers with provider-reported usage.
 * Used to estimate the unseen output of cut calls. Each organization learns only from its own calls, so none can change
 * another's estimates.
 */
export class AnswerPace {
  /** Oldest first. */
  readonly #paces = new Map<string, Pace>();

  learn(answer: RecentPace): void {
    if (answer.output_tokens < ENOUGH_TOKENS || answer.latency_ms <= 0) return;
    if (answer.mode !== "live" || answer.status !== "success" || answer.usage_source !== "provider") return;
    const measured = (answer.output_tokens * 1000) / answer.latency_ms;
    const pace = Math.min(Math.max(measured, MIN_TOKENS_PER_SECOND), MAX_TOKENS_PER_SECOND);
    const known = this.#paceOf(keyOf(answer.org_id, answer.provider, answer.model));
    known.answers++;
    const weight = Math.max(WEIGHT, 1 / (known.answers + DEFAULT_WEIGHT));
    known.tokensPerSecond += weight * (pace - known.tokensPerSecond);
  }

  tokensPerSecond(orgId: string, provider: string, model: string): number {
    const known = this.#paces.get(keyOf(orgId, provider, model));
    if (known === undefined) return DEFAULT_TOKENS_PER_SECOND;
    return Math.max(known.tokensPerSecond, MIN_SHARE * DEFAULT_TOKENS_PER_SECOND);
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

/** Neither organization ids nor provider names contain a line break. */
function keyOf(orgId: string, provider: string, model: string): string {
  return `${orgId}\n${provider}\n${model}`;
}
