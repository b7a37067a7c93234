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

/** All tokens of an agent's calls to one model. */
export function tokensOf(
  use: Pick<
    ProfileSums,
    | "uncached_input_tokens"
    | "cache_read_tokens"
    | "cache_write_tokens"
    | "cache_write_1h_tokens"
    | "output_tokens"
  >,
): TokenCounts {
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

export function isMoreThanPct(part: bigint, whole: bigint, pct: bigint): boolean {
  return part * 100n > whole * pct;
}
