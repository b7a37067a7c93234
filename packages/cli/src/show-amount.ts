import { exactDollars } from "@tollgate/core/money/exact-dollars";

/** "$0.0000242 (242 microcents)": what a person reads, beside what the API and `--json` say. */
export function showAmount(amountMicrocents: number): string {
  return `${exactDollars(amountMicrocents)} (${amountMicrocents} microcents)`;
}
