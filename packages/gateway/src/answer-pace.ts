import { DEFAULT_TOKENS_PER_SECOND } from "@tollgate/core/pricing/estimate";
import type { RecentPace } from "@tollgate/storage/ledger/recent-events";

/** A short answer takes as long as its connection does: it says nothing about the pace of a model. */
const ENOUGH_TOKENS = 100;
/** Outside of these, it was a cache or a hiccup that was measured, not a model. */
const SLOWEST = 10;
const FASTEST = 2000;
/** How much a new answer moves what is known. */
const WEIGHT = 0.1;
/** Models are named by callers: without a bound, inventing names would fill the memory. */
const MAX_MODELS = 1000;

/**
 * How many tokens a second each model writes, hidden ones included, learned from complete answers whose usage the
 * provider told. What a cut call may have produced unseen is estimated with it.
 */
export class AnswerPace {
  readonly #paces = new Map<string, Map<string, number>>();
  #models = 0;

  learn(answer: RecentPace): void {
    if (answer.output_tokens < ENOUGH_TOKENS || answer.latency_ms <= 0) return;
    if (answer.mode !== "live" || answer.status !== "success" || answer.usage_source !== "provider") return;
    const measured = (answer.output_tokens * 1000) / answer.latency_ms;
    const pace = Math.min(Math.max(measured, SLOWEST), FASTEST);
    const models = this.#modelsOf(answer.provider);
    const known = models.get(answer.model);
    if (known === undefined) this.#models++;
    models.set(answer.model, known === undefined ? pace : known + WEIGHT * (pace - known));
  }

  tokensPerSecond(provider: string, model: string): number {
    return this.#paces.get(provider)?.get(model) ?? DEFAULT_TOKENS_PER_SECOND;
  }

  #modelsOf(provider: string): Map<string, number> {
    if (this.#models >= MAX_MODELS) {
      this.#paces.clear();
      this.#models = 0;
    }
    const known = this.#paces.get(provider);
    if (known !== undefined) return known;
    const models = new Map<string, number>();
    this.#paces.set(provider, models);
    return models;
  }
}
