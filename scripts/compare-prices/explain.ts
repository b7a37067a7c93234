/** Differences that were investigated, and why they remain. */
export interface Explanation {
  readonly reason: string;
  /** Verbatim as reported by the comparison: a price that changes again is a new difference. */
  readonly differences: readonly string[];
}

export interface Explained {
  /** Differences that were not investigated yet. */
  readonly unexplained: readonly string[];
  /** Explanations of differences that no longer exist. */
  readonly stale: readonly string[];
}

export function explain(differences: readonly string[], explanations: readonly Explanation[]): Explained {
  const explained = new Set(explanations.flatMap(entry => entry.differences));
  const found = new Set(differences);
  return {
    unexplained: differences.filter(line => !explained.has(line)),
    stale: [...explained].filter(line => !found.has(line)),
  };
}
