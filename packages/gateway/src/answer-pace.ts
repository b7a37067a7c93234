import { DEFAULT_TOKENS_PER_SECOND } from "@tollgate/core/pricing/estimate";
import type { RecentPace } from "@tollgate/storage/ledger/recent-events";

/** A short answer takes as long as its connection does: it says nothing about the pace of a model. */
const ENOUGH_TOKENS = 100;
/** Outside of these, it was a cache or a hiccup that was measured, not a model. */
const SLOWEST = 10;
const FASTEST = 2000;
/** How much a new answer moves what is known, once a few are; before that the default weighs as much as three of them. */
const WEIGHT = 0.1;
const DEFAULT_WEIGHS = 3;
/** Models are named by callers: without a bound, inventing names would fill the memory. */
const MAX_MODELS = 1000;

interface Pace {
  tokensPerSecond: number;
  answers: number;
}

/**
 * How many tokens a second each model writes, hidden ones included, learned from complete answers whose usage the
 * provider told. What a cut call may have produced unseen is estimated with it.
 */
export class AnswerPace {
  readonly #paces = new Map<string, Map<string, Pace>>();
  #models = 0;

  learn(answer: RecentPace): void {
    if (answer.output_tokens < ENOUGH_TOKENS || answer.latency_ms <= 0) return;
    if (answer.mode !== "live" || answer.status !== "success" || answer.usage_source !== "provider") return;
    const measured = (answer.output_tokens * 1000) / answer.latency_ms;
    const pace = Math.min(Math.max(measured, SLOWEST), FASTEST);
    const models = this.#modelsOf(answer.provider);
    let known = models.get(answer.model);
    if (known === undefined) {
      known = { tokensPerSecond: DEFAULT_TOKENS_PER_SECOND, answers: 0 };
      models.set(answer.model, known);
      this.#models++;
    }
    known.answers++;
    const weight = Math.max(WEIGHT, 1 / (known.answers + DEFAULT_WEIGHS));
    known.tokensPerSecond += weight * (pace - known.tokensPerSecond);
  }

  tokensPerSecond(provider: string, model: string): number {
    return this.#paces.get(provider)?.get(model)?.tokensPerSecond ?? DEFAULT_TOKENS_PER_SECOND;
  }

  #modelsOf(provider: string): Map<string, Pace> {
    if (this.#models >= MAX_MODELS) {
      this.#paces.clear();
      this.#models = 0;
    }
    const known = this.#paces.get(provider);
    if (known !== undefined) return known;
    const models = new Map<string, Pace>();
    this.#paces.set(provider, models);
    return models;
  }
}
