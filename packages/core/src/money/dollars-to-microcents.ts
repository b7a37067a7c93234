import { divideHalfEven, MICROCENTS_PER_DOLLAR, type Microcents, microcents } from "./money.ts";

/**
 * Parses dollars as decimals, in microcents; null if not an amount. A double is read by its shortest decimal: 0.1 is a
 * tenth of a dollar, not the nearest binary fraction.
 */
export function dollarsToMicrocents(dollars: number | string): Microcents | null {
  const text = String(dollars).trim();
  const match = text.length > 64 ? null : /^(\d+)(?:\.(\d+))?(?:e([+-]?\d{1,3}))?$/i.exec(text);
  if (!match) return null;
  const [, whole = "0", fraction = "", exponent = "0"] = match;
  const scale = fraction.length - Number(exponent);
  const scaled = BigInt(whole + fraction) * BigInt(MICROCENTS_PER_DOLLAR);
  const amount = scale > 0 ? divideHalfEven(scaled, 10n ** BigInt(scale)) : scaled * 10n ** BigInt(-scale);
  return amount <= BigInt(Number.MAX_SAFE_INTEGER) ? microcents(Number(amount)) : null;
}
