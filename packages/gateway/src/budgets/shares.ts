import type { BudgetAccount } from "@tollgate/core/budgets/account";
import type { Budget } from "@tollgate/core/budgets/budget";
import type { Microcents } from "@tollgate/core/money/money";

/** The parts of shared budgets that this node may use. */
export interface Shares {
  /** Nothing is left here or elsewhere, as far as is known. */
  isSpent(budget: Budget, account: BudgetAccount): boolean;
  /** Asks for more in the background, if needed. */
  of(budget: Budget, account: BudgetAccount, need: Need): Share;
  admitted(account: BudgetAccount): void;
  /** Spend was counted: perhaps without an admission, or more than was reserved for it. */
  counted(budget: Budget, account: BudgetAccount): void;
  /** The budget has become blocking: other nodes wait for what this one has spent, even if it is nothing. */
  report(budget: Budget, account: BudgetAccount): void;
}

/** What a node may use of a budget at the moment. */
export interface Share {
  readonly limitMicrocents: Microcents;
  /** What the call needs of it. */
  readonly neededMicrocents: Microcents;
  /** The bank was asked, and its answer will wake the calls that wait. */
  readonly isAsked: boolean;
  /** More may come within milliseconds. */
  readonly mayGrow: boolean;
  /** All nodes together have used the whole limit. */
  readonly isSpent: boolean;
  /** What other nodes had spent when the bank last answered. */
  readonly spentElsewhereMicrocents: Microcents;
}

export interface Need {
  /** What the call costs at most: a strict bound under a strict budget, otherwise a cautious estimate. */
  readonly fittingMicrocents: Microcents;
  /** What has to be left of a budget that no other node uses. */
  readonly leastMicrocents: Microcents;
}
