import { normalCdf } from "./normal-distribution.ts";

/** Up to this length the exact distribution is cheap; above it the normal one is accurate enough. */
const MAX_EXACT_LENGTH = 40;

interface TrendTest {
  /** Rising pairs minus falling ones. */
  readonly s: number;
  /** The probability of an S at least this high if the order is random. */
  readonly pRising: number;
  readonly pFalling: number;
  readonly method: "exact" | "normal" | "corrected";
}

/**
 * Does the series rise or fall? Depends only on the order of the values. null: fewer than 3 values. Autocorrelated
 * values need an `inflation` of the variance above 1 (see `variance-inflation.ts`).
 */
export function mannKendall(series: readonly number[], inflation = 1): TrendTest | null {
  const n = series.length;
  if (n < 3) {
    return null;
  }
  let s = 0;
  series.forEach((earlier, i) => {
    for (const later of series.slice(i + 1)) {
      s += Math.sign(later - earlier);
    }
  });
  const ties = tieSizes(series);
  const isExact = ties.length === 0 && n <= MAX_EXACT_LENGTH;
  const weight = (size: number) => size * (size - 1) * (2 * size + 5);
  const variance = (weight(n) - ties.reduce((sum, size) => sum + weight(size), 0)) / 18;
  const plain = (score: number) => (isExact ? exactUpperTail(score, n) : normalUpperTail(score, variance));
  if (inflation <= 1) {
    return { s, pRising: plain(s), pFalling: plain(-s), method: isExact ? "exact" : "normal" };
  }
  const corrected = (score: number) => Math.max(plain(score), normalUpperTail(score, variance * inflation));
  return { s, pRising: corrected(s), pFalling: corrected(-s), method: "corrected" };
}

function tieSizes(series: readonly number[]): number[] {
  const counts = new Map<number, number>();
  for (const value of series) {
    counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return [...counts.values()].filter(count => count > 1);
}

/** S moves in steps of at least two; the continuity correction takes the middle of a step. All equal: no evidence. */
function normalUpperTail(s: number, variance: number): number {
  return variance > 0 ? normalCdf(-(s - 1) / Math.sqrt(variance)) : 1;
}

/** P(S ≥ s): S = n(n−1)/2 − 2·inversions, and each element adds a uniform 0…m−1 inversions. */
function exactUpperTail(s: number, n: number): number {
  const pairs = (n * (n - 1)) / 2;
  const maxInversions = Math.floor((pairs - s) / 2);
  if (maxInversions < 0) {
    return 0;
  }
  let chances = [1];
  for (let m = 2; m <= n; m += 1) {
    const next: number[] = [];
    let window = 0;
    for (let k = 0; k <= (m * (m - 1)) / 2; k += 1) {
      window += chances[k] ?? 0;
      next.push(window / m);
      window -= chances[k - m + 1] ?? 0;
    }
    chances = next;
  }
  return Math.min(
    1,
    chances.slice(0, maxInversions + 1).reduce((sum, chance) => sum + chance, 0),
  );
}
