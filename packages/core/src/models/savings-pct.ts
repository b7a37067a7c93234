/** The saving from one price to another, in percent with one decimal; negative: it costs more. */
export function savingsPct(from: number, to: number): number | null {
  if (from <= 0) return null;
  // + 0 turns −0 into 0.
  return Math.round(((from - to) / from) * 1000) / 10 + 0;
}
