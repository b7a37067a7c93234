import { divideHalfEven } from "./money.ts";

/** For sentences: $12.35, and $0.000123 where cents would say nothing. */
export function formatDollars(amountMicrocents: number): string {
  const amount = BigInt(amountMicrocents);
  if (amount === 0n || amount >= 100_000n) {
    const cents = divideHalfEven(amount, 100_000n);
    return `$${cents / 100n}.${`${cents % 100n}`.padStart(2, "0")}`;
  }
  return `$0.${`${amount}`.padStart(7, "0").replace(/0+$/, "")}`;
}
