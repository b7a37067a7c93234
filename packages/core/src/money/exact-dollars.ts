import { MICROCENTS_PER_DOLLAR } from "./money.ts";

const DECIMALS = 7;
const FEWEST_DECIMALS = 2;

/** For amounts that were measured or set: $12.35, $2.005, $0.000074. Nothing is rounded away. */
export function exactDollars(amountMicrocents: number): string {
  const perDollar = BigInt(MICROCENTS_PER_DOLLAR);
  const amount = BigInt(amountMicrocents);
  const size = amount < 0n ? -amount : amount;
  const decimals = `${size % perDollar}`.padStart(DECIMALS, "0").replace(/0+$/, "");
  return `${amount < 0n ? "-" : ""}$${size / perDollar}.${decimals.padEnd(FEWEST_DECIMALS, "0")}`;
}
