import { ANY_ROOM } from "@tollgate/core/budget-account";
import { affordableOutput, isCount, worstCost } from "@tollgate/core/budget-estimate";
import { budgetPromptBound } from "@tollgate/core/budget-prompt-bound";
import { type Microcents, ZERO_MICROCENTS } from "@tollgate/core/money";
import type { Catalogue } from "@tollgate/core/pricing/catalogue";
import type { RateCard } from "@tollgate/core/pricing/rates";
import { listPrice, type ServedUnder } from "@tollgate/providers/meter";
import type { Routed } from "../call.ts";
import type { StrictHold } from "./hold.ts";

/** An answer shorter than this is of no use to anybody, and OpenAI takes no lower limit. */
const SMALL_ANSWER_TOKENS = 16;
/** Every model takes this limit. Without one of its own, a call might cost as much as a model can say at once. */
const UNASKED_ANSWER_TOKENS = 4096;

/** What one call may cost at worst, and how long its answer may be for the money that is left. */
export class StrictPlan {
  /** At least this must be left. */
  readonly need: Microcents;
  readonly #inputTokens: number;
  readonly #choices: number;
  readonly #asked: number | null;
  readonly #wanted: number;
  readonly #cards: readonly RateCard[];

  constructor(routed: Routed, catalogue: Catalogue, at: number) {
    const { summary, body, bytes, provider, model } = routed;
    const window = catalogue.find(provider.id, model)?.contextWindow ?? null;
    this.#inputTokens = budgetPromptBound(body, bytes.length, window);
    this.#choices = summary.choices;
    this.#asked = isCount(summary.maxOutputTokens) ? summary.maxOutputTokens : null;
    this.#wanted = this.#asked ?? UNASKED_ANSWER_TOKENS;
    this.#cards = cardsOf(routed, catalogue, new Date(at), this.#inputTokens);
    const least = this.#worst(Math.min(this.#wanted, SMALL_ANSWER_TOKENS));
    this.need = least > ANY_ROOM ? least : ANY_ROOM;
  }

  /** `left` is at least what is needed. */
  hold(left: Microcents): StrictHold {
    let outputTokens = this.#wanted;
    for (const card of this.#cards) {
      const affordable = affordableOutput(left, this.#inputTokens, this.#choices, card);
      outputTokens = Math.min(outputTokens, affordable);
    }
    return {
      outputTokens,
      isAsAsked: this.#asked !== null && outputTokens >= this.#asked,
      amount: this.#worst(outputTokens),
    };
  }

  #worst(outputTokens: number): Microcents {
    let worst: Microcents = ZERO_MICROCENTS;
    for (const card of this.#cards) {
      const cost = worstCost(this.#inputTokens, outputTokens * this.#choices, card);
      if (cost > worst) worst = cost;
    }
    return worst;
  }
}

/** The list price and, where the request asks for another service, that one's; long prompts at their own price. */
function cardsOf(routed: Routed, catalogue: Catalogue, at: Date, inputTokens: number): RateCard[] {
  const { provider, model, body } = routed;
  const asked: ServedUnder = {
    serviceTier: textOf(body.service_tier),
    speed: textOf(body.speed),
    region: textOf(body.inference_geo),
  };
  const cards: RateCard[] = [];
  for (const served of [listPrice, asked]) {
    for (const tokens of [0, inputTokens]) {
      const card = catalogue.card(provider.id, model, at, tokens, served);
      if (card !== null && !cards.includes(card)) cards.push(card);
    }
  }
  return cards;
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
