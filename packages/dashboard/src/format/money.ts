import { exactDollars } from "@tollgate/core/money/exact-dollars";
import { formatDollars } from "@tollgate/core/money/format-dollars";
import { UNKNOWN } from "./unknown.ts";

const MICROCENTS_PER_DOLLAR = 10_000_000;

/** A sum: cents, or as many digits as an amount below a cent needs. */
export function dollars(amountMicrocents: number | null | undefined): string {
  return amountMicrocents == null ? UNKNOWN : withSeparators(formatDollars(amountMicrocents));
}

/** The cost of one call, a limit, a price: every digit it has. */
export function fullDollars(amountMicrocents: number | null | undefined): string {
  return amountMicrocents == null ? UNKNOWN : withSeparators(exactDollars(amountMicrocents));
}

const short = new Intl.NumberFormat("en-US", {
  style: "currency",
  currency: "USD",
  notation: "compact",
  maximumFractionDigits: 1,
});

/** For axes: $1.2M. */
export function compactDollars(amountMicrocents: number): string {
  return short.format(amountMicrocents / MICROCENTS_PER_DOLLAR);
}

/** "+$1.20": what is added to a sum. */
export function signedDollars(amountMicrocents: number | null | undefined): string {
  const text = dollars(amountMicrocents);
  return amountMicrocents != null && amountMicrocents > 0 ? `+${text}` : text;
}

/** For hovering. */
export function exactMicrocents(amountMicrocents: number): string {
  const unit = Math.abs(amountMicrocents) === 1 ? "microcent" : "microcents";
  return `${fullDollars(amountMicrocents)} exactly (${amountMicrocents.toLocaleString("en-US")} ${unit})`;
}

/** An unrounded amount or rate, in microcents as decimal text: "2.5" → "$0.00000025". */
export function decimalDollars(microcents: string | null): string {
  if (microcents === null) return UNKNOWN;
  const [, sign = "", whole = "", fraction = ""] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(microcents) ?? [];
  const digits = whole.padStart(8, "0");
  const decimals = (digits.slice(-7) + fraction).replace(/0+$/, "").padEnd(2, "0");
  return withSeparators(`${sign}$${digits.slice(0, -7).replace(/^0+(?=\d)/, "")}.${decimals}`);
}

const withSeparators = (text: string) => text.replace(/\d(?=(\d{3})+\.)/g, "$&,");
