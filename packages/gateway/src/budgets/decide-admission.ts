import { type BudgetAccount, MIN_HEADROOM } from "@tollgate/core/budgets/account";
import { type Budget, isBlocking } from "@tollgate/core/budgets/budget";
import type { Microcents } from "@tollgate/core/money/money";
import { type BlockReason, budgetExceeded, notBounded, retryAt } from "./budget-refusal.ts";
import type { Patience } from "./headroom-queue.ts";
import type { Share } from "./shares.ts";
import type { StrictPlan } from "./strict-plan.ts";

/** A budget that a call counts toward, and its account in the current period. */
export interface ApplicableBudget {
  readonly budget: Budget;
  readonly account: BudgetAccount;
  /** What this node may use of the budget; null: all of it. */
  share: Share | null;
}

/** What this node may use. */
export function limitOf({ budget, share }: ApplicableBudget): Microcents {
  return share === null ? budget.limitMicrocents : share.limitMicrocents;
}

export function isStrict({ budget }: ApplicableBudget): boolean {
  return budget.isStrict && isBlocking(budget);
}

/** Throws for the budget that blocks longest: retrying earlier is pointless. */
export function decideAdmission(
  applicable: readonly ApplicableBudget[],
  strict: StrictPlan | null,
  isPriced: boolean,
  atMs: number,
  patience: Patience,
): "admit" | "wait" {
  let blocking: (ApplicableBudget & { readonly reason: BlockReason }) | null = null;
  let until = 0;
  let mustWait = false;
  for (const one of applicable) {
    if (!isBlocking(one.budget)) continue;
    const plan = isStrict(one) ? strict : null;
    // Waiting for released reservations would not help.
    if (plan !== null && plan.unbounded !== null) throw notBounded(one, plan.unbounded);
    if (!isPriced && !one.budget.allowsUnpriced) {
      throw budgetExceeded(one, atMs, "unpriced");
    }
    const { share } = one;
    const needed = share === null ? leastHeadroom(plan) : share.neededMicrocents;
    const headroom = one.account.headroom(limitOf(one), needed);
    if (headroom === "free") continue;
    const mayGrow = headroom === "reserved" || share?.mayGrow === true;
    // Before the bank has answered, a refusal could leave money unspent.
    const isAsked = share?.isAsked === true;
    if ((patience !== "over" && isAsked) || (patience === "patient" && mayGrow)) {
      mustWait = true;
      continue;
    }
    const reason = reasonFor(headroom, share);
    const retry = retryAt(one.account, atMs, reason);
    if (blocking !== null && retry <= until) continue;
    blocking = { ...one, reason };
    until = retry;
  }
  if (blocking !== null) throw budgetExceeded(blocking, atMs, blocking.reason);
  return mustWait ? "wait" : "admit";
}

export function leastHeadroom(plan: StrictPlan | null): Microcents {
  return plan === null ? MIN_HEADROOM : plan.neededMicrocents;
}

function reasonFor(headroom: "reserved" | "none", share: Share | null): BlockReason {
  if (headroom === "reserved") return "reserved";
  return share === null || share.isSpent ? "spent" : "elsewhere";
}
