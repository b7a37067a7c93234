/**
 * The cost of a call before it is made. The ordinary estimate is the usual cost of such calls and its spread: an
 * estimate that is too high refuses calls that would have fitted. The worst case is an upper bound, for strict budgets.
 */

import { type Microcents, RATE_SCALE, saturated } from "../money/money.ts";
import { inputKinds, outputKinds, toolKinds, type UsageKind } from "../money/usage.ts";
import type { PromptTokens } from "../pricing/prompt-size.ts";
import type { RateCard } from "../pricing/rates.ts";
import { type Expectation, Z_95 } from "./expectation.ts";

/** The answer of a call that nothing is known about: nearly always below a thousand tokens. */
const UNKNOWN_LENGTH: Length = { mean: 400, spread: 400 };
/** Callers set limits far above what they use. A limit this far above usual answers carries no information. */
const ABSURDLY_ABOVE = 8;
const NEVER_ABSURD_TOKENS = 1000;
/** Callers supply counts: no model goes beyond this, and a cost could exceed the exact range of a number. */
const MAX_TOKENS = 1_000_000_000;

interface CallSize {
  readonly prompt: PromptTokens;
  /** As sent by the caller, valid or not. */
  readonly maxOutputTokens: number | null;
  readonly choices: number;
  /** The model's own output limit: no answer is longer, whatever the caller requests. */
  readonly longestAnswer: number;
  /** Usual length of answers for this agent and model, all choices together; null: not known yet. */
  readonly learnedOutput: Length | null;
}

/** In tokens: the mean and standard deviation. */
export interface Length {
  readonly mean: number;
  readonly spread: number;
}

export function expectedOutput(size: CallSize): Length {
  const { maxOutputTokens: asked, choices, longestAnswer, learnedOutput: learned } = size;
  if (!isCount(asked)) {
    if (learned !== null) return learned;
    return { mean: bounded(UNKNOWN_LENGTH.mean * choices), spread: UNKNOWN_LENGTH.spread * choices };
  }
  const limit = { mean: bounded(Math.min(asked, longestAnswer) * choices), spread: 0 };
  if (learned === null) return limit;
  const usual = learned.mean + Z_95 * learned.spread;
  return limit.mean > Math.max(usual * ABSURDLY_ABOVE, NEVER_ABSURD_TOKENS) ? learned : limit;
}

export function estimateCost(size: CallSize, card: RateCard): Expectation {
  const { input, cache_write, input_audio, output } = card.rates;
  const dearest = cache_write > input ? cache_write : input;
  const { mean, spread } = expectedOutput(size);
  return {
    meanMicrocents: rounded(
      BigInt(size.prompt.input) * dearest +
        BigInt(size.prompt.audio) * input_audio +
        BigInt(Math.ceil(mean)) * output,
    ),
    spreadMicrocents: (spread * Number(output)) / Number(RATE_SCALE),
  };
}

/** The maximum that a call reads and uses, however long its answer is. */
export interface CallBound {
  /** Of all iterations together. */
  readonly inputTokens: number;
  readonly toolUses: number;
}

/** An upper bound: every token, and every tool use, at the highest rate of its kind. */
export function worstCost(bound: CallBound, outputTokens: number, card: RateCard): Microcents {
  return rounded(fixedCost(bound, card) + BigInt(bounded(outputTokens)) * dearestOf(card, outputKinds));
}

function fixedCost({ inputTokens, toolUses }: CallBound, card: RateCard): bigint {
  return (
    BigInt(bounded(inputTokens)) * dearestOf(card, inputKinds) +
    BigInt(bounded(toolUses)) * dearestOf(card, toolKinds)
  );
}

/** The maximum length of each of `choices` answers, so that all of them and the prompt cost at most `money`. */
export function affordableOutput(
  money: Microcents,
  bound: CallBound,
  choices: number,
  card: RateCard,
): number {
  const perToken = dearestOf(card, outputKinds) * BigInt(Math.max(1, choices));
  const left = BigInt(money) * RATE_SCALE - fixedCost(bound, card);
  if (left < 0n) return 0;
  if (perToken === 0n) return MAX_TOKENS;
  return bounded(Number(left / perToken));
}

export function isCount(value: number | null): value is number {
  return value !== null && Number.isSafeInteger(value) && value >= 0;
}

function dearestOf(card: RateCard, kinds: readonly UsageKind[]): bigint {
  let dearest = 0n;
  for (const kind of kinds) if (card.rates[kind] > dearest) dearest = card.rates[kind];
  return dearest;
}

/** Rounds up: a bound that is half a microcent short is not a bound. */
function rounded(exact: bigint): Microcents {
  return saturated(Number((exact + RATE_SCALE - 1n) / RATE_SCALE));
}

function bounded(tokens: number): number {
  return Math.min(tokens, MAX_TOKENS);
}
