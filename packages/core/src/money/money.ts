/**
 * Money is a whole number of microcents: 1 cent = 100,000, $1 = 10,000,000.
 * A float sum of money is a bug. Rates are exact integers too, and an amount is rounded once, half to even.
 */

declare const unit: unique symbol;

export type Microcents = number & { readonly [unit]: "microcents" };

export const MICROCENTS_PER_CENT = 100_000;
export const MICROCENTS_PER_DOLLAR = 10_000_000;

/** The only way to make a number money. $900 million fits; a larger sum must not go wrong silently. */
export function microcents(amount: number): Microcents {
  if (!Number.isSafeInteger(amount)) throw new RangeError(`not a whole number of microcents: ${amount}`);
  return amount as Microcents;
}

export const ZERO_MICROCENTS = microcents(0);

/** For sums that are enforced and shown, not recorded: they saturate at $900 million instead of failing calls. */
export function saturated(amount: number): Microcents {
  return microcents(Math.min(amount, Number.MAX_SAFE_INTEGER));
}

/** Integer division that rounds to nearest, ties to even: 0.5 → 0, 1.5 → 2, 2.5 → 2. */
export function divideHalfEven(dividend: bigint, divisor: bigint): bigint {
  if (divisor <= 0n) throw new RangeError("the divisor must be positive");
  let quotient = dividend / divisor;
  let remainder = dividend % divisor;
  if (remainder < 0n) {
    quotient -= 1n;
    remainder += divisor;
  }
  const twice = remainder * 2n;
  const roundsUp = twice > divisor || (twice === divisor && quotient % 2n !== 0n);
  return roundsUp ? quotient + 1n : quotient;
}

/**
 * Price of one unit (a token, a search), in 10⁻⁹ microcents: fine enough that every published price, and every multiple
 * by a published factor, is an integer.
 */
export type Rate = bigint & { readonly [unit]: "nanomicrocents per unit" };

export const RATE_SCALE = 1_000_000_000n;

/** "0.075" → 75n with scale 3. Prices are read as decimals, never as binary fractions. */
function parseDecimal(decimal: string | number): { digits: bigint; scale: number } {
  const match = /^(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(String(decimal).trim());
  if (!match) throw new RangeError(`not a decimal price: ${decimal}`);
  const [, whole = "0", fraction = "", exponent = "0"] = match;
  return { digits: BigInt(whole + fraction), scale: fraction.length - Number(exponent) };
}

function scaleDecimal(decimal: string | number, numerator: bigint, denominator: bigint): Rate {
  const { digits, scale } = parseDecimal(decimal);
  const top = digits * numerator * (scale < 0 ? 10n ** BigInt(-scale) : 1n);
  const bottom = denominator * (scale > 0 ? 10n ** BigInt(scale) : 1n);
  if (top % bottom !== 0n) throw new RangeError(`price ${decimal} is finer than a rate can hold`);
  return (top / bottom) as Rate;
}

/** $1 per million tokens is 10 microcents per token. */
export function ratePerMillion(dollars: string | number): Rate {
  return scaleDecimal(dollars, BigInt(MICROCENTS_PER_DOLLAR) * RATE_SCALE, 1_000_000n);
}

export function ratePerThousand(dollars: string | number): Rate {
  return scaleDecimal(dollars, BigInt(MICROCENTS_PER_DOLLAR) * RATE_SCALE, 1_000n);
}

export function multiplyRate(rate: Rate, factor: string | number): Rate {
  const { digits, scale } = parseDecimal(factor);
  const top = rate * digits * (scale < 0 ? 10n ** BigInt(-scale) : 1n);
  const bottom = scale > 0 ? 10n ** BigInt(scale) : 1n;
  if (top % bottom !== 0n) throw new RangeError(`rate ${rate} times ${factor} is finer than a rate can hold`);
  return (top / bottom) as Rate;
}

/** For display only: the specification's unit for model prices. */
export function centsPerMillion(rate: Rate): number {
  return Number(rate * 10n) / Number(RATE_SCALE);
}

/** The only rounding of an event's cost. */
export function roundToMicrocents(scaled: bigint): Microcents {
  return microcents(Number(divideHalfEven(scaled, RATE_SCALE)));
}
