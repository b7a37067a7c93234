import type { Event } from "../event.ts";
import { type CostKind, costKindOf, costKinds } from "../money/cost-kinds.ts";
import { roundToMicrocents } from "../money/money.ts";
import { type UsageKind, usageKinds } from "../money/usage.ts";
import type { RateCard } from "./rates.ts";
import { usageParts } from "./usage-parts.ts";

export type CostByKind = Readonly<Partial<Record<CostKind, number>>>;

type Priced = Pick<
  Event,
  "model" | "served_model" | "usage" | "price_version" | "additional_usage" | "cost_microcents" | "cost_basis"
>;

/**
 * An event's own cost by kind, in whole microcents. The amounts add up to the cost exactly, because the running total is
 * rounded and not each kind. A cost that the rate cards do not explain is not split: the result is empty.
 */
export function splitCost(event: Priced, cardOf: (version: string) => RateCard | null): CostByKind {
  if (event.cost_microcents === 0 || event.cost_basis === "unpriced") return {};
  if (event.cost_basis === "reported") return { reported: event.cost_microcents };
  const exact = exactByKind(event, cardOf);
  if (exact === null) return {};
  const split: Partial<Record<CostKind, number>> = {};
  let sum = 0n;
  let booked = 0;
  for (const [index, kind] of costKinds.entries()) {
    const amount = exact[index] ?? 0n;
    if (amount === 0n) continue;
    sum += amount;
    const rounded = roundToMicrocents(sum);
    if (rounded !== booked) split[kind] = rounded - booked;
    booked = rounded;
  }
  return booked === event.cost_microcents ? split : {};
}

const kindIndex = Object.fromEntries(
  usageKinds.map(kind => [kind, costKinds.indexOf(costKindOf[kind])]),
) as Readonly<Record<UsageKind, number>>;

/** In the order of `costKinds`. null: a card is missing. */
function exactByKind(event: Priced, cardOf: (version: string) => RateCard | null): readonly bigint[] | null {
  const exact = costKinds.map(() => 0n);
  for (const { usage, price_version } of usageParts(event)) {
    const card = price_version === null ? null : cardOf(price_version);
    if (card === null) return null;
    for (const name in usage) {
      const known = name as UsageKind;
      const index = kindIndex[known];
      exact[index] = (exact[index] ?? 0n) + BigInt(usage[known] ?? 0) * card.rates[known];
    }
  }
  return exact;
}
