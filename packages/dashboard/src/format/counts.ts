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

/** Less than this is a rounding error of the division, not a part. */
const NOTHING = 1e-12;
/** Half of the smallest step that is shown, 0.01%. */
const TINY = 0.00005;

/**
 * 0.1234 → "12.3%". A part that is not nothing is not "0%", and what is not all of it is not "100%": a cent among ten
 * thousand dollars is "<0.01%", and the rest "99.99%".
 */
export function percent(share: number | null | undefined): string {
  if (share == null || !Number.isFinite(share)) return UNKNOWN;
  const size = Math.abs(share);
  if (size < TINY) return share < NOTHING ? "0%" : "<0.01%";
  const isAlmostAll = size >= 0.9995 && size < 1 - NOTHING;
  const value = isAlmostAll ? Math.floor(size * 10_000) / 100 : size * 100;
  const digits = isAlmostAll || size < 0.001 ? 2 : size >= 1 ? 0 : 1;
  return `${share < 0 ? "-" : ""}${value.toLocaleString("en-US", { maximumFractionDigits: digits })}%`;
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

/** From here on nobody reads a percentage. */
const MANIFOLD = 10;

/** "+12.3%"; eleven times as much and more: "×907" */
export function signedPercent(change: number | null): string {
  if (change !== null && change >= MANIFOLD && Number.isFinite(change)) return `×${whole.format(change + 1)}`;
  if (change !== null && Math.abs(change) < TINY) return "0%";
  return change !== null && change > 0 ? `+${percent(change)}` : percent(change);
}
