import type { BudgetAccount } from "@tollgate/core/budgets/account";
import type { Budget } from "@tollgate/core/budgets/budget";
import type { Expectation } from "@tollgate/core/budgets/expectation";
import { type BudgetFlags, withheldFlag } from "@tollgate/core/budgets/flags";
import { type Microcents, microcents } from "@tollgate/core/money/money";

/** A call's reservations on every budget that it counts toward, and the budgets' flags and warning for it. */
export interface Hold {
  readonly kind: "held";
  readonly reservations: readonly Reservation[];
  /** For the event (`core/budgets/flags.ts`); null for nearly every call. */
  readonly flags: readonly string[] | null;
  /** The value of `X-Gateway-Budget-Warning`. */
  readonly warning: string | null;
  /** Set if a strict budget applies. */
  readonly strict: StrictHold | null;
  /** Cleared once, when the call ends. */
  isOpen: boolean;
}

/** The result of reserving, unless a budget refuses the call. */
export type Reserved = Hold | { readonly kind: "unbudgeted" } | { readonly kind: "wait" };

export interface Reservation {
  readonly budget: Budget;
  readonly account: BudgetAccount;
  readonly expected: Expectation;
}

export interface StrictHold {
  /** Maximum length of each answer. */
  readonly outputTokens: number;
  /** The client's own limit is lower or equal. */
  readonly isWithinRequest: boolean;
  /** Maximum cost of the call. */
  readonly worstMicrocents: Microcents;
}

/**
 * The event's flags, once the cost is known or estimated. For an estimate, a strict budget withholds the rest of the
 * worst case: the provider may still bill it, so other calls must not spend it.
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
