import type { AdditionalUsage, CostBasis, Event } from "@tollgate/core/event";
import { type Microcents, ZERO_MICROCENTS } from "@tollgate/core/money/money";
import { addUsage, inputTokens, outputTokens, type Usage, usageOf } from "@tollgate/core/money/usage";
import { servedOrAsked } from "@tollgate/core/pricing/asked-service";
import type { Catalogue } from "@tollgate/core/pricing/catalogue";
import { costOfParts, type PricedUsage } from "@tollgate/core/pricing/cost";
import { estimateTokens } from "@tollgate/core/pricing/estimate";
import { estimateLargestPrompt, exactly, type LargestPrompt } from "@tollgate/core/pricing/largest-prompt";
import type { PromptSize } from "@tollgate/core/pricing/prompt-size";
import { encodeRateCard, priceVersion, type RateCard } from "@tollgate/core/pricing/rates";
import { isSameModel } from "@tollgate/core/pricing/same-model";
import { isUnknownCondition, type ServedUnder, servedWith } from "@tollgate/core/pricing/service-conditions";
import { toolLoopUsage } from "@tollgate/core/pricing/tool-loop-usage";
import type { ProviderId } from "@tollgate/core/provider-id";
import type { Reading } from "@tollgate/providers/meter";
import type { StoredRateCard } from "@tollgate/storage/ledger/settling";
import { estimatePrompt } from "./estimate-prompt.ts";
import { isBelievableCost } from "./is-believable-cost.ts";

/** The cost fields of an event, and the rates behind them. */
export interface Priced {
  readonly fields: Pick<
    Event,
    | "input_tokens"
    | "output_tokens"
    | "usage"
    | "additional_usage"
    | "usage_source"
    | "cost_microcents"
    | "cost_basis"
    | "price_version"
  >;
  readonly cards: readonly StoredRateCard[];
}

interface PricedCall {
  readonly provider: ProviderId;
  readonly model: string;
  readonly createdAtMs: number;
  readonly prompt: PromptSize;
  readonly ending: Ending;
  /** The requested service; null: list price. Used if the provider reported neither usage nor service. */
  readonly asked: ServedUnder | null;
  /** null: all of its output was seen. */
  readonly hidden: HiddenOutput | null;
  /** The most output that the request allowed: no estimate exceeds it. null: the provider is known to have ignored it. */
  readonly outputBound: number | null;
}

/** Everything that a call may have produced, seen or not. */
export interface HiddenOutput {
  readonly kind: "output" | "output_audio" | "reasoning";
  readonly tokens: number;
}

export type Ending =
  | "completed" // the provider finished its answer, so it has billed something even if it does not say what
  | "refused" // the provider said no, and billed nothing
  | "declined" // the provider said no, and billed the prompt
  | "fined" // the provider said no, and billed its fee for that
  | "unsent" // the provider never received it
  | "cut"; // sent, but its end was not seen: the provider bills at least the prompt

export function priceReading(call: PricedCall, reading: Reading, catalogue: Catalogue): Priced {
  const measured = measure(call, reading, catalogue);
  if (measured === null) return nothingUsed();
  const { usage, source } = measured;
  const at = new Date(call.createdAtMs);
  const stated = source === "estimated" ? servedOrAsked(reading.served, call.asked) : reading.served;
  const served = servedWith(call.provider, stated, usage);
  const cardFor = (model: string, prompt: number) => catalogue.card(call.provider, model, at, prompt, served);

  const prompt = measured.largestPrompt ?? longestPrompt(call, reading, usage, catalogue);
  const answering = catalogue.answeringName(call.provider, call.model, reading.servedModel, at);
  const servedFor = (tokens: number) => (answering === null ? null : cardFor(answering, tokens));
  const mainFor = (tokens: number) => servedFor(tokens) ?? cardFor(call.model, tokens);
  const own = servedFor(prompt.tokens);
  const main = own ?? cardFor(call.model, prompt.tokens);
  // Otherwise the usage is reported, but not whether the long-context rates apply to it.
  const isTierKnown = prompt.least === prompt.most || mainFor(prompt.least) === mainFor(prompt.most);
  const parts: Part[] = [{ usage, card: main }];
  let additional: AdditionalUsage[] | null = null;
  // Another model than the requested one has answered, and its price is unknown: the requested one's is a guess.
  const isModelKnown =
    reading.servedModel === null ||
    own !== null ||
    isSameModel(catalogue, call.provider, reading.servedModel, call.model);
  const isServiceKnown = main === null || !isUnknownCondition(main.condition);
  let isCertain =
    source === "provider" &&
    isTierKnown &&
    isModelKnown &&
    isServiceKnown &&
    reading.isBillUncertain !== true;
  for (const other of reading.additional) {
    const own = cardFor(other.model, inputTokens(other.usage));
    // At the requested model's rates: if one unpriced side model made the whole call unpriced, any call could be made
    // free.
    const card = own ?? main;
    if (own === null || isUnknownCondition(own.condition)) isCertain = false;
    additional ??= [];
    additional.push({ ...other, price_version: card && priceVersion(card) });
    parts.push({ usage: other.usage, card });
  }

  let allInput = 0;
  let allOutput = 0;
  const cards: StoredRateCard[] = [];
  for (const part of parts) {
    allInput += inputTokens(part.usage);
    allOutput += outputTokens(part.usage);
    if (part.card) cards.push(stored(part.card));
  }
  const { cost, basis } = book(parts, allInput + allOutput, reading, isCertain);
  return {
    fields: {
      input_tokens: allInput,
      output_tokens: allOutput,
      usage,
      additional_usage: additional,
      usage_source: source,
      cost_microcents: cost,
      cost_basis: basis,
      price_version: basis === "unpriced" ? null : (cards[0]?.version ?? null),
    },
    cards,
  };
}

/** The prompt size that selects the context tier: the largest single iteration, even if usage sums several. */
function longestPrompt(
  call: PricedCall,
  reading: Reading,
  usage: Usage,
  catalogue: Catalogue,
): LargestPrompt {
  const total = inputTokens(usage);
  if (reading.largestPrompt !== undefined) return exactly(reading.largestPrompt);
  if (reading.iterations === undefined) return exactly(total);
  const { count, firstInput, resultTokens } = reading.iterations;
  const { bytes, mediaTokens, audioTokens } = call.prompt;
  return estimateLargestPrompt({
    inputTokens: total,
    iterations: count,
    firstInput,
    resultTokens,
    shownTokens: mediaTokens + audioTokens === 0 ? estimateTokens(bytes) : null,
    contextWindow: windowOf(call, reading, catalogue),
  });
}

function windowOf(call: PricedCall, reading: Reading, catalogue: Catalogue): number | null {
  return catalogue.find(call.provider, reading.servedModel ?? call.model)?.contextWindow ?? null;
}

interface Part {
  readonly usage: Usage;
  readonly card: RateCard | null;
}

function book(
  parts: readonly Part[],
  tokens: number,
  { reportedCost: reported, reportedFees = 0 }: Reading,
  isCertain: boolean,
): { cost: Microcents; basis: CostBasis } {
  const computed = parts.every(isPriced) ? costOfParts(parts) : null;
  if (
    reported !== null &&
    isBelievableCost(reported, { costMicrocents: computed, tokens, fees: reportedFees })
  ) {
    return { cost: reported, basis: "reported" };
  }
  if (computed === null) return { cost: ZERO_MICROCENTS, basis: "unpriced" };
  return { cost: computed, basis: isCertain && reported === null ? "priced" : "estimated" };
}

interface Measured {
  readonly usage: Usage;
  readonly source: "provider" | "estimated";
  /** Set if the iterations of a loop were estimated one by one. */
  readonly largestPrompt?: LargestPrompt;
}

/** null: the provider has nothing to bill. */
function measure(call: PricedCall, reading: Reading, catalogue: Catalogue): Measured | null {
  if (reading.usage !== null) return { usage: reading.usage, source: "provider" };
  const reported = reading.partial ?? {};
  if (call.ending === "unsent" || call.ending === "refused") return null;
  if (call.ending === "fined") return { usage: usageOf({ violations: 1 }), source: "estimated" };
  const isPromptReported = inputTokens(reported) > 0 && reading.isInputMissing !== true;
  const thought = reported.reasoning ?? 0;
  const visible = Math.max(outputTokens(reported) - thought, estimateTokens(reading.outputBytes));
  const prompt = isPromptReported ? {} : estimatePrompt(call, reading.servedModel, catalogue);
  const room =
    call.outputBound === null ? Number.POSITIVE_INFINITY : call.outputBound - outputTokens(reported);
  const seen = Math.max(0, Math.min(visible + thought - outputTokens(reported), room));
  const spoken = Math.min(seen, Math.max(0, (reading.audioTokens ?? 0) - (reported.output_audio ?? 0)));
  const estimated = { output: seen - spoken, output_audio: spoken, reasoning: 0 };
  const known = outputTokens(reported) + seen;
  if (call.hidden !== null && call.hidden.tokens > known) {
    estimated[call.hidden.kind] += call.hidden.tokens - known;
  }
  const usage = addUsage(addUsage(reported, prompt), usageOf(estimated));
  if (reading.toolResultTokens === undefined) return { usage, source: "estimated" };
  const later = toolLoopUsage(usage, reading.toolResultTokens, windowOf(call, reading, catalogue));
  return { usage: addUsage(usage, later.usage), source: "estimated", largestPrompt: exactly(later.largest) };
}

function isPriced(part: Part): part is PricedUsage {
  return part.card !== null;
}

function nothingUsed(): Priced {
  return {
    fields: {
      input_tokens: 0,
      output_tokens: 0,
      usage: {},
      additional_usage: null,
      usage_source: "none",
      cost_microcents: ZERO_MICROCENTS,
      cost_basis: "priced",
      price_version: null,
    },
    cards: [],
  };
}

const encoded = new WeakMap<RateCard, StoredRateCard>();

function stored(card: RateCard): StoredRateCard {
  let known = encoded.get(card);
  if (!known) {
    known = { version: priceVersion(card), card: encodeRateCard(card) };
    encoded.set(card, known);
  }
  return known;
}
