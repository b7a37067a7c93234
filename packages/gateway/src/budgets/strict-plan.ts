import { LEAST_HEADROOM } from "@tollgate/core/budgets/account";
import { affordableOutput, type CallBound, isCount, worstCost } from "@tollgate/core/budgets/estimate";
import { budgetPromptBound } from "@tollgate/core/budgets/prompt-bound";
import { budgetToolBound } from "@tollgate/core/budgets/tool-bound";
import { maxOutputTokens } from "@tollgate/core/models/max-output";
import { type Microcents, ZERO_MICROCENTS } from "@tollgate/core/money/money";
import type { Catalogue } from "@tollgate/core/pricing/catalogue";
import type { RateCard } from "@tollgate/core/pricing/rates";
import type { Routed } from "../call/call.ts";
import type { StrictHold } from "./hold.ts";

/** A shorter answer is useless, and OpenAI accepts no lower limit. */
const SMALL_ANSWER_TOKENS = 16;
/** Every model takes this limit. Without one of its own, a call might cost as much as a model can say at once. */
const UNASKED_ANSWER_TOKENS = 4096;

const UNPRICED_SENTENCE = "a strict budget cannot bound the cost of a model without a price";

/** What one call may cost at worst, and how long its answer may be for the money that is left. */
export class StrictPlan {
  /** At least this must be left. */
  readonly neededMicrocents: Microcents;
  /** Why nothing bounds the cost, so that no money is enough for certain; null: it is bounded. */
  readonly unbounded: string | null;
  readonly #bound: CallBound;
  readonly #choices: number;
  readonly #asked: number | null;
  readonly #wanted: number;
  readonly #cards: readonly RateCard[];

  constructor(routed: Routed, catalogue: Catalogue, atMs: number) {
    const { summary, body, bytes, provider, model } = routed;
    const window = catalogue.find(provider.id, model)?.contextWindow ?? null;
    const tools = budgetToolBound(provider.id, model, body);
    const { uses, passes } = "sentence" in tools ? { uses: 0, passes: 1 } : tools;
    const passTokens = budgetPromptBound(body, bytes.length, window, uses > 0);
    this.#bound = { inputTokens: passTokens * passes, toolUses: uses };
    this.#choices = summary.choices;
    this.#asked = isCount(summary.maxOutputTokens) ? summary.maxOutputTokens : null;
    this.#wanted = Math.min(this.#asked ?? UNASKED_ANSWER_TOKENS, maxOutputTokens(provider.id, model));
    // Not only the service tier that the request asks for: a provider may serve it under a more expensive one and
    // report that afterwards.
    this.#cards = catalogue.dearestCards(provider.id, model, new Date(atMs), passTokens);
    this.unbounded =
      "sentence" in tools ? tools.sentence : this.#cards.length === 0 ? UNPRICED_SENTENCE : null;
    const least = this.#worst(Math.min(this.#wanted, SMALL_ANSWER_TOKENS));
    this.neededMicrocents = least > LEAST_HEADROOM ? least : LEAST_HEADROOM;
  }

  /** `left` is at least what is needed. */
  hold(headroomMicrocents: Microcents): StrictHold {
    let outputTokens = this.#wanted;
    for (const card of this.#cards) {
      const affordable = affordableOutput(headroomMicrocents, this.#bound, this.#choices, card);
      outputTokens = Math.min(outputTokens, affordable);
    }
    return {
      outputTokens,
      isAsAsked: this.#asked !== null && outputTokens >= this.#asked,
      worstMicrocents: this.#worst(outputTokens),
    };
  }

  #worst(outputTokens: number): Microcents {
    let worst: Microcents = ZERO_MICROCENTS;
    for (const card of this.#cards) {
      const cost = worstCost(this.#bound, outputTokens * this.#choices, card);
      if (cost > worst) worst = cost;
    }
    return worst;
  }
}
