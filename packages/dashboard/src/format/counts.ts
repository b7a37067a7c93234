import { UNKNOWN } from "./unknown.ts";

const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 });

export function count(number: number | null | undefined): string {
  return number == null ? UNKNOWN : whole.format(number);
}

/** For axes and dense tables: 1.2M. */
export function compactCount(number: number | null | undefined): string {
  return number == null ? UNKNOWN : short.format(number);
}

/** "1 call", "2 calls" */
export function plural(number: number, one: string, many = `${one}s`): string {
  return `${whole.format(number)} ${number === 1 ? one : many}`;
}

/** 0.1234 → "12.3%" */
export function percent(share: number | null | undefined): string {
  if (share == null || !Number.isFinite(share)) return UNKNOWN;
  const value = share * 100;
  const digits = value !== 0 && Math.abs(value) < 0.1 ? 2 : Math.abs(value) >= 100 ? 0 : 1;
  // A change of next to nothing is not "-0%".
  return `${value.toLocaleString("en-US", { maximumFractionDigits: digits, signDisplay: "negative" })}%`;
}

/** A part of a whole; null where one is not known, or there is nothing to be a part of. */
export function shareOf(part: number | null | undefined, of: number | null | undefined): number | null {
  return part == null || of == null || of === 0 ? null : part / of;
}

/** The change from one period to the next; null: there was nothing before to compare with. */
export function changeSince(
  before: number | null | undefined,
  now: number | null | undefined,
): number | null {
  return before == null || now == null || before === 0 ? null : now / before - 1;
}

/** "+12.3%" */
export function signedPercent(change: number | null): string {
  const text = percent(change);
  return change !== null && change > 0 && text !== "0%" ? `+${text}` : text;
}
