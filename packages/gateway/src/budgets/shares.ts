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
  /** Call after counting spend, which may have had no admission or exceed its reservation. */
  counted(budget: Budget, account: BudgetAccount): void;
  /** For a budget that has become blocking: other nodes wait for this node's spend, even if it is zero. */
  report(budget: Budget, account: BudgetAccount): void;
}

/** What a node may use of a budget at the moment. */
export interface Share {
  readonly limitMicrocents: Microcents;
  /** How much of it the call needs. */
  readonly neededMicrocents: Microcents;
  /** A request is due or in flight; the bank's answer will wake the waiting calls. */
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
