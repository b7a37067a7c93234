import { dollarsToMicrocents } from "@tollgate/core/money/dollars-to-microcents";
import type { Microcents } from "@tollgate/core/money/money";

/** A microcent is the seventh decimal of a dollar. */
const MAX_DECIMALS = 7;

/** Exact, based on the number's shortest decimal form. null: not a whole number of microcents, which is never rounded. */
export function microcentsOfDollars(dollars: number): Microcents | null {
  return decimalsOf(String(dollars)) > MAX_DECIMALS ? null : dollarsToMicrocents(dollars);
}

/** 0.25 → 2, 1e-7 → 7 */
function decimalsOf(text: string): number {
  const [, fraction = "", exponent = "0"] = /^\d+(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text) ?? [];
  return fraction.length - Number(exponent);
}
