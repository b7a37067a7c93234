import { mannKendall } from "../statistics/mann-kendall.ts";
import { tQuantile, tUpperTail } from "../statistics/t-distribution.ts";
import type { TrendDirection } from "./prediction.ts";

/** A burn rate counts as steady unless the order of its units clearly shows otherwise. */
const CLEAR = 0.01;

interface Burn {
  /** The probability that the limit is not reached before the end if the remaining units are like the past ones. */
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
  /** The amount of each whole unit (hour, day) of the period; at least two. */
  readonly units: readonly number[];
  readonly unitMs: number;
  readonly nowMs: number;
  readonly endsAtMs: number;
  /** Factor by which autocorrelation of the units inflates the variance of their sum; 1: none. */
  readonly inflation?: number;
}

/**
 * Will the remaining amount last until the end? The expected total is the spent amount plus the mean unit times the
 * remaining units; its uncertainty comes from the spread of the units (Student's t with both the spread of the
 * remaining units and the mean's own error), widened if the units are autocorrelated.
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
  // Correlated units contain less information than their number suggests.
  const df = Math.max(1, n / inflation - 1);
  const half = tQuantile(0.975, df) * spread * Math.sqrt(inflation / n);
  const lastsUntil = (rate: number) => {
    const at = rate > 0 ? now + (left / rate) * unitMs : Number.POSITIVE_INFINITY;
    return at < endsAtMs ? Math.round(at) : null;
  };
  return {
    // With identical units there is no measurable uncertainty.
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
