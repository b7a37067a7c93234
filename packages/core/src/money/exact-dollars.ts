import { MICROCENTS_PER_DOLLAR } from "./money.ts";

const DECIMALS = 7;
const MIN_DECIMALS = 2;

/** For measured or configured amounts: $12.35, $2.005, $0.000074. Nothing is rounded. */
export function exactDollars(amountMicrocents: number): string {
  const perDollar = BigInt(MICROCENTS_PER_DOLLAR);
  const amount = BigInt(amountMicrocents);
  const size = amount < 0n ? -amount : amount;
  const decimals = `${size % perDollar}`.padStart(DECIMALS, "0").replace(/0+$/, "");
  return `${amount < 0n ? "-" : ""}$${size / perDollar}.${decimals.padEnd(MIN_DECIMALS, "0")}`;
}
