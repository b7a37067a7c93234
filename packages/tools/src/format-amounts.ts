import { plusUnpriced } from "@tollgate/core/alerts/plus-unpriced";
import { formatDollars } from "@tollgate/core/money/format-dollars";
import { MICROCENTS_PER_CENT } from "@tollgate/core/money/money";

/** The cost of calls, and how many it excludes because their cost is unknown. */
export function cost(amountMicrocents: number, unpricedCalls: number): string {
  return formatDollars(amountMicrocents) + plusUnpriced(unpricedCalls);
}

export function dollarsOfCents(cents: number): string {
  return formatDollars(cents * MICROCENTS_PER_CENT);
}

/** 0.0123 → 1.23 % */
export function percent(fraction: number): string {
  return `${Math.round(fraction * 10_000) / 100}%`;
}

export function count(amount: number, one: string, many = `${one}s`): string {
  return `${amount.toLocaleString("en")} ${amount === 1 ? one : many}`;
}

export function times(multiplier: number | null): string {
  return multiplier === null ? "unknown (nothing was spent)" : `${Math.round(multiplier * 100) / 100}x`;
}

/** The difference between two prices, which can also be zero or an increase. */
export function saving(pct: number): string {
  if (pct === 0) return "costs the same as the current model";
  return pct > 0
    ? `saves ${pct}% compared with the current model`
    : `costs ${-pct}% more than the current model`;
}

/** List prices have more decimals than cents: $0.075 */
export function listPrice(cents: number): string {
  return `$${Number((cents / 100).toFixed(6))}`;
}
