import { formatDollars } from "../money/format-dollars.ts";

/** Formats values for messages. */

export function percentInWords(fraction: number): string {
  return `${Number((fraction * 100).toPrecision(3))}%`;
}

/** Percentage points: a rate that rises from 10 % to 12 % rises by two of these, and by a fifth. */
export function pointsInWords(fraction: number): string {
  const points = Number((fraction * 100).toPrecision(3));
  return `${points} percentage ${points === 1 ? "point" : "points"}`;
}

export function dollarsInWords(amountMicrocents: number): string {
  return formatDollars(Math.round(amountMicrocents));
}

/** Appended to a clause about amounts that exclude calls without a known price: ", not counting 3 unpriced calls". */
export function notCountingUnpriced(calls: number): string {
  if (calls === 0) return "";
  return `, not counting ${calls.toLocaleString("en")} unpriced ${calls === 1 ? "call" : "calls"}`;
}

/** To the minute: no prediction is more precise. */
export function momentInWords(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
