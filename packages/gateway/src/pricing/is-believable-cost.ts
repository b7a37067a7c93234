import type { Microcents } from "@tollgate/core/money/money";

/**
 * Discounts, cache reads and service tiers change a price by a factor of ten at most. An amount further off than this is
 * in another unit, or a fault.
 */
const MOST_TIMES = 100;
/** $1. Below it, a fee that no count shows (an image, a search) may explain any multiple of the price. */
const ALWAYS_POSSIBLE = 10_000_000;
/** $0.10. The dearest fee of xAI was $0.025, for a source of its live search. */
const MOST_PER_FEE = 1_000_000;
/** More than any answer has; a higher count is a fault, too. */
const MOST_FEES = 1000;
/** $1,000 per million tokens, for a model without a price, or whose price is set to 0. */
const MOST_PER_TOKEN = 10_000;

/** Whether a provider may have billed the amount that it reports. */
export function isBelievableCost(
  reported: Microcents,
  call: {
    /** At our prices; null: no price is known. */
    readonly costMicrocents: Microcents | null;
    readonly tokens: number;
    /** Uses of tools and sources, whose fees are part of the reported amount alone. */
    readonly fees: number;
  },
): boolean {
  const { costMicrocents, tokens, fees } = call;
  // What a provider does not charge for is reported as zero; `plausibleReading` has ruled out answers with text.
  if (reported === 0) return true;
  const most = costMicrocents ? costMicrocents * MOST_TIMES : tokens * MOST_PER_TOKEN;
  const least = costMicrocents ? costMicrocents / MOST_TIMES : 0;
  const mostFees = Math.min(fees, MOST_FEES) * MOST_PER_FEE;
  return reported >= least && reported <= Math.max(ALWAYS_POSSIBLE, most + mostFees);
}
