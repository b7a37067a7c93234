import { formatDollars } from "@tollgate/core/money/format-dollars";

export function microDollars(amount: number): string {
  return formatDollars(amount * 10);
}
