import { exactDollars } from "@tollgate/core/money/exact-dollars";

/** "$0.0000242 (242 microcents)": readable, and comparable with the API and `--json`. */
export function showAmount(amountMicrocents: number): string {
  return `${exactDollars(amountMicrocents)} (${amountMicrocents} microcents)`;
}
