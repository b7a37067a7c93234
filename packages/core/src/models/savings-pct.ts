/** What going from one price to another saves, in percent with one decimal; negative: it costs more. */
export function savingsPct(from: number, to: number): number | null {
  if (from <= 0) return null;
  // + 0 makes the −0 of a rounded nothing a plain 0.
  return Math.round(((from - to) / from) * 1000) / 10 + 0;
}
