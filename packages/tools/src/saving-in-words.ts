import type { Envelope } from "@tollgate/core/contract/fields/envelope";
import { formatDollars } from "@tollgate/core/money/format-dollars";

/** "$0.02 saved a call (between $0.01 and $0.03)". An estimate without its interval would look certain. */
export function savingInWords({ value, ci_low, ci_high }: Envelope, per: "a call" | "a month"): string {
  if (value === null) return "savings unknown";
  const costsMore = value < 0;
  const sign = costsMore ? -1 : 1;
  const amount = `${dollars(sign * value)} ${costsMore ? "more" : "saved"} ${per}`;
  if (ci_low === null || ci_high === null) return amount;
  const [from, to] = costsMore ? [-ci_high, -ci_low] : [ci_low, ci_high];
  const mayBeChance = ci_low <= 0 && ci_high >= 0 && ci_low < ci_high;
  return `${amount} (between ${dollars(from)} and ${dollars(to)}${mayBeChance ? ", so it may be chance" : ""})`;
}

function dollars(microcents: number): string {
  return formatDollars(Math.round(microcents));
}
