/** Nearest rank on ascending values: the smallest value that at least `fraction` of them do not exceed. */
export function percentile(ascending: ArrayLike<number>, fraction: number): number | null {
  if (ascending.length === 0) return null;
  const rank = Math.max(1, Math.ceil(fraction * ascending.length));
  return ascending[Math.min(rank, ascending.length) - 1] ?? null;
}

/** null for an empty list. */
export function median(values: readonly number[]): number | null {
  return percentile(
    values.toSorted((a, b) => a - b),
    0.5,
  );
}
