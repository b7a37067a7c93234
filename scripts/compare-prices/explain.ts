/** Differences that were looked into, and why they stay. */
export interface Explanation {
  readonly reason: string;
  /** Word for word as the comparison says them: a price that moves on is a new difference. */
  readonly differences: readonly string[];
}

export interface Explained {
  /** Differences that nobody has looked into. */
  readonly unexplained: readonly string[];
  /** Explanations of differences that are gone. */
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
