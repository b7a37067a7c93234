import { mannKendall } from "../statistics/mann-kendall.ts";
import { tQuantile, tUpperTail } from "../statistics/t-distribution.ts";
import type { TrendDirection } from "./prediction.ts";

/** A burn is called steady unless the order of its units says clearly otherwise. */
const CLEAR = 0.01;

interface Burn {
  /** The chance that the limit is not reached before the end, should the rest go on as the units did. */
  readonly p: number;
  /** null: not before the end. */
  readonly exhaustsAtMs: number | null;
  readonly earliest: number;
  /** null: perhaps not before the end. */
  readonly latest: number | null;
  readonly perUnit: number;
  readonly direction: TrendDirection;
}

interface BurnCourse {
  readonly spent: number;
  readonly limit: number;
  /** What each whole unit (hour, day) of the period took; two at least. */
  readonly units: readonly number[];
  readonly unitMs: number;
  readonly nowMs: number;
  readonly endsAtMs: number;
  /** By how much units that resemble their neighbours widen the variance of a sum of them; 1: they do not. */
  readonly inflation?: number;
}

/**
 * Will what is left last until the end? The total at the end is what is spent plus the mean unit times the units to
 * come; how sure that is comes from how unlike each other the units were (Student's t with both the spread of the
 * units to come and the mean's own error), widened where neighbouring units are known to resemble each other.
 */
export function projectBurn({
  spent,
  limit,
  units,
  unitMs,
  nowMs: now,
  endsAtMs,
  inflation = 1,
}: BurnCourse): Burn {
  const n = units.length;
  const mean = units.reduce((sum, unit) => sum + unit, 0) / n;
  const spread = Math.sqrt(units.reduce((sum, unit) => sum + (unit - mean) ** 2, 0) / (n - 1));
  const left = limit - spent;
  const toCome = (endsAtMs - now) / unitMs;
  const over = mean * toCome - left;
  const error = spread * Math.sqrt(inflation * (toCome + toCome ** 2 / n));
  // Correlated units carry less information than their number suggests.
  const df = Math.max(1, n / inflation - 1);
  const half = tQuantile(0.975, df) * spread * Math.sqrt(inflation / n);
  const lastsUntil = (rate: number) => {
    const at = rate > 0 ? now + (left / rate) * unitMs : Number.POSITIVE_INFINITY;
    return at < endsAtMs ? Math.round(at) : null;
  };
  return {
    // Units that are all alike leave no doubt that could be measured.
    p: error > 0 ? tUpperTail(over / error, df) : over > 0 ? 0 : 1,
    exhaustsAtMs: lastsUntil(mean),
    earliest: lastsUntil(mean + half) ?? endsAtMs,
    latest: lastsUntil(mean - half),
    perUnit: mean,
    direction: directionOf(units),
  };
}

function directionOf(units: readonly number[]): TrendDirection {
  const order = mannKendall(units);
  if (order === null) return "steady";
  return order.pRising <= CLEAR ? "rising" : order.pFalling <= CLEAR ? "falling" : "steady";
}
