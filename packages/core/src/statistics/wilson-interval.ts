const Z_975 = 1.959963984540054;

/**
 * Wilson's interval of a rate: two-sided 95 % by default; for a one-sided 95 % bound use z = 1.6448536269514722 and one
 * end. null: no observations.
 */
export function wilsonInterval(
  successes: number,
  n: number,
  z: number = Z_975,
): { low: number; high: number } | null {
  if (!(n > 0)) {
    return null;
  }
  const rate = successes / n;
  const centre = rate + (z * z) / (2 * n);
  const half = z * Math.sqrt((rate * (1 - rate)) / n + (z * z) / (4 * n * n));
  const scale = 1 + (z * z) / n;
  return {
    // Exact at 0 and n successes, where rounding would leave the ends slightly inside.
    low: successes <= 0 ? 0 : Math.max(0, (centre - half) / scale),
    high: successes >= n ? 1 : Math.min(1, (centre + half) / scale),
  };
}
