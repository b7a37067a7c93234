import { divideHalfEven, MICROCENTS_PER_CENT } from "./money.ts";

/** For sentences: $12.35, -$3.00, and $0.000123 if cents would show nothing. */
export function formatDollars(amountMicrocents: number): string {
  const amount = BigInt(Math.round(amountMicrocents));
  return amount < 0n ? `-${unsigned(-amount)}` : unsigned(amount);
}

const PER_CENT = BigInt(MICROCENTS_PER_CENT);

function unsigned(amount: bigint): string {
  if (amount === 0n || amount >= PER_CENT) {
    const cents = divideHalfEven(amount, PER_CENT);
    return `$${cents / 100n}.${`${cents % 100n}`.padStart(2, "0")}`;
  }
  return `$0.${`${amount}`.padStart(7, "0").replace(/0+$/, "")}`;
}
