import { tQuantile } from "./t-distribution.ts";

interface SavingsRatio {
  readonly value: number;
  /** Fieller's 95 % interval; null: the earlier spending is too uncertain. */
  readonly low: number | null;
  readonly high: number | null;
}

/**
 * The share saved, 1 − Σafter / Σbefore, of paired spending. Fieller's interval, because a ratio of two means is
 * skewed: all ratios r for which after − r · before is compatible with a mean of zero. null: nothing was spent before.
 */
export function savingsRatio(
  pairs: readonly (readonly [before: number, after: number])[],
): SavingsRatio | null {
  const n = pairs.length;
  const before = mean(pairs.map(([spent]) => spent));
  const after = mean(pairs.map(([, spent]) => spent));
  if (!(before > 0)) return null;
  const value = 1 - after / before;
  if (n < 2) return { value, low: null, high: null };
  const scale = tQuantile(0.975, n - 1) ** 2 / n / (n - 1);
  let [ofBefore, ofBoth, ofAfter] = [0, 0, 0];
  for (const [spentBefore, spentAfter] of pairs) {
    ofBefore += (spentBefore - before) ** 2;
    ofBoth += (spentBefore - before) * (spentAfter - after);
    ofAfter += (spentAfter - after) ** 2;
  }
  const a = before ** 2 - scale * ofBefore;
  const b = before * after - scale * ofBoth;
  const c = after ** 2 - scale * ofAfter;
  if (!(a > 0)) return { value, low: null, high: null };
  const root = Math.sqrt(Math.max(0, b * b - a * c));
  return { value, low: 1 - (b + root) / a, high: 1 - (b - root) / a };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
