/** Minimums for any suggestion: a handful of calls shows no pattern. Documented in docs/suggestions.md. */
export const minimums = {
  /** Calls of the agent within the period, for anything about its calls. */
  calls: 20,
  /** For an output limit, which depends on the longest of the answers. */
  guardrailCalls: 50,
  /** Percentage of the agent's cost: a smaller saving is not worth a change. */
  savingPct: 1,
  /** For another model, which is a larger change. */
  switchSavingPct: 20,
} as const;

export function isWorth(savedMicrocents: bigint, costMicrocents: number, pct: number): boolean {
  return savedMicrocents > 0n && Number(savedMicrocents) * 100 >= costMicrocents * pct;
}
