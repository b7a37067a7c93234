import type { BudgetAccount } from "@tollgate/core/budget-account";
import type { Expectation } from "@tollgate/core/budget-expectation";
import type { Microcents } from "@tollgate/core/money";

/** What a call has reserved on every budget that it counts toward, and what the budgets have to say about it. */
export interface Hold {
  readonly reservations: readonly Reservation[];
  /** For the event: `soft_block:<id>`, `alert_only:<id>`; null where nothing is over its limit. */
  readonly flags: readonly string[] | null;
  /** The value of `X-Gateway-Budget-Warning`. */
  readonly warning: string | null;
  /** Of a strict budget. */
  readonly strict: StrictHold | null;
  /** Cleared once, when the call ends. */
  isOpen: boolean;
}

export interface Reservation {
  readonly account: BudgetAccount;
  readonly expected: Expectation;
}

export interface StrictHold {
  /** Each answer may be no longer than this. */
  readonly outputTokens: number;
  /** The client's own limit is lower, or the same. */
  readonly isAsAsked: boolean;
  /** The call must not cost more than this. */
  readonly amount: Microcents;
}
