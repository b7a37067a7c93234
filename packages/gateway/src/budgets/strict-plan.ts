import { MIN_HEADROOM } from "@tollgate/core/budgets/account";
import { affordableOutput, type CallBound, isCount, worstCost } from "@tollgate/core/budgets/estimate";
import { budgetPromptBound } from "@tollgate/core/budgets/prompt-bound";
import { budgetToolBound } from "@tollgate/core/budgets/tool-bound";
import { maxOutputTokens } from "@tollgate/core/models/max-output";
import { type Microcents, ZERO_MICROCENTS } from "@tollgate/core/money/money";
import type { Catalogue } from "@tollgate/core/pricing/catalogue";
import { costOf } from "@tollgate/core/pricing/cost";
import type { RateCard } from "@tollgate/core/pricing/rates";
import type { Routed } from "../request/routed.ts";
import type { StrictHold } from "./hold.ts";

/** A shorter answer is useless, and OpenAI accepts no lower limit. */
const MIN_ANSWER_TOKENS = 16;
/** Accepted by every model. Without any limit, a call could cost as much as the model's longest answer. */
const DEFAULT_ANSWER_TOKENS = 4096;

const UNPRICED_SENTENCE = "a strict budget cannot bound the cost of a model without a price";

/** The worst-case cost of a call, and the longest answer that the remaining money pays for. */
export class StrictPlan {
  /** The minimum headroom. */
  readonly neededMicrocents: Microcents;
  /** The worst case of the whole answer that is wanted. */
  readonly wantedMicrocents: Microcents;
  /** Why the cost has no upper bound, so that no headroom is certain to suffice; null: it has one. */
  readonly unbounded: string | null;
  readonly #bound: CallBound;
  readonly #choices: number;
  readonly #requested: number | null;
  /** false: a translated request for thinking would be sent with a higher limit. */
  readonly #isSentAsRequested: boolean;
  readonly #wanted: number;
  /** The provider may decline it, and charge a fee instead of its usage. */
  readonly #mayBeFined: boolean;
  readonly #cards: readonly RateCard[];

  constructor(routed: Routed, catalogue: Catalogue, atMs: number) {
    const { summary, body, bytes, provider, model, exchange } = routed;
    const window = catalogue.find(provider.id, model)?.contextWindow ?? null;
    const tools = budgetToolBound(provider.id, model, body);
    const { uses, iterations } = "sentence" in tools ? { uses: 0, iterations: 1 } : tools;
    const promptTokens = budgetPromptBound(body, bytes.length, window, uses > 0);
    this.#bound = { inputTokens: promptTokens * iterations, toolUses: uses };
    this.#choices = summary.choices;
    this.#requested = isCount(summary.maxOutputTokens) ? summary.maxOutputTokens : null;
    this.#isSentAsRequested = (exchange.upstream.maxOutputTokens ?? 0) <= (this.#requested ?? 0);
    this.#wanted = Math.min(this.#requested ?? DEFAULT_ANSWER_TOKENS, maxOutputTokens(provider.id, model));
    this.#mayBeFined = provider.violations?.billOf(exchange.upstream.path) === "fee";
    // Not only the requested service tier: a provider may serve the call under a more expensive one and report that
    // afterwards.
    this.#cards = catalogue.dearestCards(provider.id, model, new Date(atMs), promptTokens);
    this.unbounded =
      "sentence" in tools ? tools.sentence : this.#cards.length === 0 ? UNPRICED_SENTENCE : null;
    this.wantedMicrocents = this.#worst(this.#wanted);
    const least = this.#worst(Math.min(this.#wanted, MIN_ANSWER_TOKENS));
    this.neededMicrocents = least > MIN_HEADROOM ? least : MIN_HEADROOM;
  }

  /** `headroomMicrocents` must be at least `neededMicrocents`. */
  hold(headroomMicrocents: Microcents): StrictHold {
    let outputTokens = this.#wanted;
    for (const card of this.#cards) {
      const affordable = affordableOutput(headroomMicrocents, this.#bound, this.#choices, card);
      outputTokens = Math.min(outputTokens, affordable);
    }
    return {
      outputTokens,
      isWithinRequest: this.#isSentAsRequested && this.#requested !== null && outputTokens >= this.#requested,
      worstMicrocents: this.#worst(outputTokens),
    };
  }

  #worst(outputTokens: number): Microcents {
    let worst: Microcents = ZERO_MICROCENTS;
    for (const card of this.#cards) {
      const cost = worstCost(this.#bound, outputTokens * this.#choices, card);
      const fee = this.#mayBeFined ? costOf({ violations: 1 }, card) : null;
      if (cost > worst) worst = cost;
      if (fee !== null && fee > worst) worst = fee;
    }
    return worst;
  }
}
