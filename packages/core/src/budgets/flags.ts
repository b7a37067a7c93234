/**
 * What an event says about the budgets of its call. `soft_block:<id>` and `alert_only:<id>`: the budget was over its
 * limit. The other two name a budget with the moment it counts from, so that they mean nothing after a reset.
 */
import { type Microcents, microcents, ZERO_MICROCENTS } from "../money/money.ts";

export type BudgetFlags = readonly string[] | null;

/** A budget since it was made or last reset. */
interface CountedFrom {
  readonly id: string;
  readonly sinceMs: number;
}

export function overLimitFlag(enforcement: string, budgetId: string): string {
  return `${enforcement}:${budgetId}`;
}

/** The clock was behind the budget's start although the budget existed: the call still counts. */
export function earlyFlag(budget: CountedFrom): string {
  return `early:${budget.id}@${budget.sinceMs}`;
}

export function isEarly(flags: BudgetFlags, budget: CountedFrom): boolean {
  return flags?.includes(earlyFlag(budget)) === true;
}

/** The provider may bill this much beyond the event's estimate: a strict budget does not spend it on other calls. */
export function withheldFlag(budget: CountedFrom, amount: Microcents): string {
  return `${withheldPrefix(budget)}${amount}`;
}

export function withheldBy(flags: BudgetFlags, budget: CountedFrom): Microcents {
  if (flags === null) return ZERO_MICROCENTS;
  const prefix = withheldPrefix(budget);
  const flag = flags.find(one => one.startsWith(prefix));
  return flag === undefined ? ZERO_MICROCENTS : microcents(Number(flag.slice(prefix.length)));
}

function withheldPrefix({ id, sinceMs }: CountedFrom): string {
  return `withheld:${id}@${sinceMs}:`;
}
