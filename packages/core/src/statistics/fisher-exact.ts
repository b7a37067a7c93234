import { binomialDensity } from "./binomial-density.ts";

/**
 * Fisher's exact test, one-sided: the probability of at least `hits` among the `n` (and correspondingly few in the
 * baseline) if both have the same rate. null if either sample is empty.
 */
export function fisherExact(hits: number, n: number, baselineHits: number, baselineN: number): number | null {
  if (n <= 0 || baselineN <= 0) {
    return null;
  }
  const total = n + baselineN;
  const totalHits = hits + baselineHits;
  const least = Math.max(0, totalHits - baselineN);
  const most = Math.min(n, totalHits);
  if (hits <= least) {
    return 1;
  }
  // Summed away from the middle, so that the terms only decrease and the rest can be omitted.
  if (hits * total > n * totalHits) {
    let term = density(hits, n, totalHits, total);
    let sum = term;
    for (let k = hits; k < most && term > sum * 1e-18; k += 1) {
      term *= ((n - k) * (totalHits - k)) / ((k + 1) * (baselineN - totalHits + k + 1));
      sum += term;
    }
    return Math.min(1, sum);
  }
  let term = density(hits - 1, n, totalHits, total);
  let below = term;
  for (let k = hits - 1; k > least && term > below * 1e-18; k -= 1) {
    term *= (k * (baselineN - totalHits + k)) / ((n - k + 1) * (totalHits - k + 1));
    below += term;
  }
  return Math.max(0, 1 - below);
}

/** The hypergeometric probability of k hits among the n, from three binomial ones: the common p cancels out. */
function density(k: number, n: number, totalHits: number, total: number): number {
  const p = totalHits / total;
  const q = (total - totalHits) / total;
  return (
    (binomialDensity(k, n, p, q) * binomialDensity(totalHits - k, total - n, p, q)) /
    binomialDensity(totalHits, total, p, q)
  );
}
