import { RATE_SCALE } from "../money/money.ts";
import type { ProfileSums } from "../profile/profile-sums.ts";
import { isProviderId } from "../provider-id.ts";
import type { Catalogue } from "./catalogue.ts";
import type { Rates } from "./rates.ts";

export interface TokenCounts {
  readonly uncached: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly cacheWrite1h: number;
  readonly output: number;
}

type UsedTokens = Pick<
  ProfileSums,
  | "uncached_input_tokens"
  | "cache_read_tokens"
  | "cache_write_tokens"
  | "cache_write_1h_tokens"
  | "output_tokens"
>;

interface PaidUse extends UsedTokens, Pick<ProfileSums, "calls" | "cost_microcents"> {}

/** All tokens of an agent's calls to one model. */
export function tokensOf(use: UsedTokens): TokenCounts {
  return {
    uncached: use.uncached_input_tokens,
    cacheRead: use.cache_read_tokens,
    cacheWrite: use.cache_write_tokens,
    cacheWrite1h: use.cache_write_1h_tokens,
    output: use.output_tokens,
  };
}

const listPrice = { serviceTier: null, speed: null, region: null };

/** List prices for prompts of that length: a long-context tier applies to the whole prompt. null: unpriced. */
export function listRates(
  catalogue: Catalogue,
  model: { readonly provider: string; readonly model: string },
  atMs: number,
  inputTokens: number,
): Rates | null {
  if (!isProviderId(model.provider)) return null;
  return catalogue.card(model.provider, model.model, new Date(atMs), inputTokens, listPrice)?.rates ?? null;
}

/** In 10⁻⁹ microcents, unrounded. */
export function costOfTokens(tokens: TokenCounts, rates: Rates): bigint {
  return (
    BigInt(tokens.uncached) * rates.input +
    BigInt(tokens.cacheRead) * rates.cache_read +
    BigInt(tokens.cacheWrite) * rates.cache_write +
    BigInt(tokens.cacheWrite1h) * rates.cache_write_1h +
    BigInt(tokens.output) * rates.output
  );
}

/** As another provider would bill them: its cache hits are unknown, so none are assumed. */
export function withoutCache({
  uncached,
  cacheRead,
  cacheWrite,
  cacheWrite1h,
  output,
}: TokenCounts): TokenCounts {
  return {
    uncached: uncached + cacheRead + cacheWrite + cacheWrite1h,
    cacheRead: 0,
    cacheWrite: 0,
    cacheWrite1h: 0,
    output,
  };
}

/**
 * The amount paid for these tokens: the recorded cost without other charges (searches, another model's usage within the
 * call).
 */
export function paidForTokens(costMicrocents: number, tokens: TokenCounts, rates: Rates): bigint {
  const booked = BigInt(costMicrocents) * RATE_SCALE;
  const listed = costOfTokens(tokens, rates);
  return booked < listed ? booked : listed;
}

/**
 * An amount at list price, such as that of some of the tokens, at the price that was paid for all of the use: a discount
 * (batches, a contract) applies to all tokens alike, and what was never paid cannot be saved.
 */
export function atPricePaid(exactCost: bigint, use: PaidUse, rates: Rates): bigint {
  const tokens = tokensOf(use);
  const listed = costOfTokens(tokens, rates);
  const paid = paidForTokens(use.cost_microcents, tokens, rates);
  // Each call's cost is rounded, by half a microcent at most: that is no discount.
  const isListPrice = (listed - paid) * 2n <= BigInt(use.calls) * RATE_SCALE;
  return isListPrice ? exactCost : (exactCost * paid) / listed;
}

export function isMoreThanPct(part: bigint, whole: bigint, pct: bigint): boolean {
  return part * 100n > whole * pct;
}
