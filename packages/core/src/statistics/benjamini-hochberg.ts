/**
 * The p values adjusted for multiple testing, in the given order: rejecting those above q keeps the expected share of
 * false discoveries at or below q.
 */
export function benjaminiHochberg(pValues: readonly number[]): number[] {
  const total = pValues.length;
  const order = pValues.map((p, index) => ({ p, index })).sort((a, b) => b.p - a.p);
  const adjusted = new Array<number>(total).fill(1);
  let smallest = 1;
  order.forEach(({ p, index }, position) => {
    smallest = Math.min(smallest, (p * total) / (total - position));
    adjusted[index] = smallest;
  });
  return adjusted;
}
