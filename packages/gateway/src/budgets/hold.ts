import type { BudgetAccount } from "@tollgate/core/budgets/account";
import type { Budget } from "@tollgate/core/budgets/budget";
import type { Expectation } from "@tollgate/core/budgets/expectation";
import { type BudgetFlags, withheldFlag } from "@tollgate/core/budgets/flags";
import { type Microcents, microcents } from "@tollgate/core/money/money";

/** What a call has reserved on every budget that it counts toward, and what the budgets have to say about it. */
export interface Hold {
  readonly kind: "held";
  readonly reservations: readonly Reservation[];
  /** For the event (`core/budgets/flags.ts`); null where there is nothing to say, as for nearly every call. */
  readonly flags: readonly string[] | null;
  /** The value of `X-Gateway-Budget-Warning`. */
  readonly warning: string | null;
  /** Of a strict budget. */
  readonly strict: StrictHold | null;
  /** Cleared once, when the call ends. */
  isOpen: boolean;
}

/** What becomes of a call at its budgets, unless they refuse it. */
export type Reserved = Hold | { readonly kind: "unbudgeted" } | { readonly kind: "wait" };

export interface Reservation {
  readonly budget: Budget;
  readonly account: BudgetAccount;
  readonly expected: Expectation;
}

export interface StrictHold {
  /** Each answer may be no longer than this. */
  readonly outputTokens: number;
  /** The client's own limit is lower, or the same. */
  readonly isAsAsked: boolean;
  /** The call must not cost more than this. */
  readonly worstMicrocents: Microcents;
}

/**
 * The event's flags, once the cost is known or estimated. For an estimate, a strict budget withholds the rest of
 * the worst case: the provider may still bill it, so no other call may spend it.
 */
export function flagsOf(hold: Hold, costMicrocents: Microcents, isCostKnown: boolean): BudgetFlags {
  if (hold.strict === null || isCostKnown || hold.strict.worstMicrocents <= costMicrocents) return hold.flags;
  const rest = microcents(hold.strict.worstMicrocents - costMicrocents);
  const withheld = strictBudgets(hold).map(budget => withheldFlag(budget, rest));
  return hold.flags === null ? withheld : [...hold.flags, ...withheld];
}

export function strictBudgets(hold: Hold): Budget[] {
  return hold.reservations.map(({ budget }) => budget).filter(({ isStrict }) => isStrict);
}
