import { groupDigits } from "../wire/group-digits.ts";

/** Appended to an amount that excludes calls without a known price: "$5.00 (+ 3 unpriced calls)". */
export function plusUnpriced(calls: number): string {
  if (calls === 0) return "";
  return ` (+ ${groupDigits(calls)} unpriced ${calls === 1 ? "call" : "calls"})`;
}
