/**
 * What an event records about its call's budgets. `soft_block:<id>` and `alert_only:<id>`: the budget was over its
 * limit. The other two include the budget's start, so that they lose their meaning after a reset.
 */
import { type Microcents, microcents, ZERO_MICROCENTS } from "../money/money.ts";

export type BudgetFlags = readonly string[] | null;

/** A budget since its creation or last reset. */
interface CountedFrom {
  readonly id: string;
  readonly sinceMs: number;
}

export function overLimitFlag(enforcement: string, budgetId: string): string {
  return `${enforcement}:${budgetId}`;
}

/** The clock was behind the start of an existing budget: the call still counts. */
export function earlyFlag(budget: CountedFrom): string {
  return `early:${budget.id}@${budget.sinceMs}`;
}

export function isEarly(flags: BudgetFlags, budget: CountedFrom): boolean {
  return flags?.includes(earlyFlag(budget)) === true;
}

/** The provider may bill this much beyond the event's estimate: a strict budget keeps it from other calls. */
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
