/** Minimums for any suggestion: a handful of calls shows no habit. Documented in docs/suggestions.md. */
export const minimums = {
  /** Of the agent, within the period, for anything that is about its calls. */
  calls: 20,
  /** For a bound on output, which has to be judged by the longest of its answers. */
  guardrailCalls: 50,
  /** Of what the agent costs: less is not worth a change. */
  savingPct: 1,
  /** For another model, which is a greater change. */
  switchSavingPct: 20,
} as const;

export function isWorth(savedMicrocents: bigint, costMicrocents: number, pct: number): boolean {
  return savedMicrocents > 0n && Number(savedMicrocents) * 100 >= costMicrocents * pct;
}
