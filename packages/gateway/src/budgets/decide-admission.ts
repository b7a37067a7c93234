import { type BudgetAccount, MIN_HEADROOM } from "@tollgate/core/budgets/account";
import { type Budget, isBlocking } from "@tollgate/core/budgets/budget";
import { budgetExceeded, notBounded, type Refusal, retryAt } from "./budget-refusal.ts";
import type { StrictPlan } from "./strict-plan.ts";

/** A budget that a call counts toward, and its account in the current period. */
export interface Applying {
  readonly budget: Budget;
  readonly account: BudgetAccount;
}

export function isStrict({ budget }: Applying): boolean {
  return budget.isStrict && isBlocking(budget);
}

/** Throws for the budget that blocks longest: retrying earlier is pointless. */
export function decideAdmission(
  applying: readonly Applying[],
  strict: StrictPlan | null,
  isPriced: boolean,
  atMs: number,
  mustDecide: boolean,
): "admit" | "wait" {
  let blocking: (Applying & { readonly refusal: Refusal }) | null = null;
  let until = 0;
  let mustWait = false;
  for (const one of applying) {
    if (!isBlocking(one.budget)) continue;
    const plan = isStrict(one) ? strict : null;
    // Waiting for released reservations would not help.
    if (plan !== null && plan.unbounded !== null) throw notBounded(one.budget, one.account, plan.unbounded);
    if (!isPriced && !one.budget.allowsUnpriced) {
      throw budgetExceeded(one.budget, one.account, atMs, "unpriced");
    }
    const headroom = one.account.headroom(
      one.budget.limitMicrocents,
      plan === null ? MIN_HEADROOM : plan.neededMicrocents,
    );
    if (headroom === "free") continue;
    if (headroom === "reserved" && !mustDecide) {
      mustWait = true;
      continue;
    }
    const refusal = headroom === "reserved" ? "reserved" : "spent";
    const retry = retryAt(one.account, atMs, refusal);
    if (blocking !== null && retry <= until) continue;
    blocking = { ...one, refusal };
    until = retry;
  }
  if (blocking !== null) throw budgetExceeded(blocking.budget, blocking.account, atMs, blocking.refusal);
  return mustWait ? "wait" : "admit";
}
