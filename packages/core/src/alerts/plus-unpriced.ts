/** Appended to an amount that excludes calls without a known price: "$5.00 (+ 3 unpriced calls)". */
export function plusUnpriced(calls: number): string {
  if (calls === 0) return "";
  return ` (+ ${calls.toLocaleString("en")} unpriced ${calls === 1 ? "call" : "calls"})`;
}
