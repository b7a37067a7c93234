const Z_95 = 1.6448536269514722;

/**
 * Tango's one-sided 95 % lower bound of (wins − losses) / n for pairs that were won, tied or lost: the difference at
 * which the score test just stops rejecting. null: no pairs. Valid for a single look only.
 */
export function tangoBound(wins: number, ties: number, losses: number): number | null {
  const n = wins + ties + losses;
  if (!(n > 0)) return null;
  const observed = (wins - losses) / n;
  if (observed <= -1) return -1;
  // The score decreases as the assumed difference approaches the observed one.
  let low = -1;
  let high = observed;
  for (let step = 0; step < 100 && high - low > 1e-15; step += 1) {
    const middle = (low + high) / 2;
    if (score(wins, losses, n, middle) > Z_95) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** With the most likely probability of a loss if the true difference is `difference`. */
function score(wins: number, losses: number, n: number, difference: number): number {
  const a = 2 * n;
  const b = -wins - losses + (2 * n - wins + losses) * difference;
  const c = -losses * difference * (1 - difference);
  const lossRate = (Math.sqrt(Math.max(0, b * b - 4 * a * c)) - b) / (2 * a);
  const variance = n * (2 * lossRate + difference * (1 - difference));
  const distance = wins - losses - n * difference;
  return variance > 0 ? distance / Math.sqrt(variance) : Infinity * Math.sign(distance);
}
