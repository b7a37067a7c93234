import type { Budget } from "@tollgate/core/budget";
import type { BudgetAccount } from "@tollgate/core/budget-account";
import { fail, type TollgateError } from "@tollgate/core/errors";

/** The spec's 429. Amounts are microcents; what is only reserved is nobody's spending yet. */
export function budgetExceeded(budget: Budget, account: BudgetAccount, now: number): TollgateError {
  const { settled, endsAt } = account;
  const sentence =
    settled >= budget.limit
      ? `the ${budget.period} budget of ${budget.limit} microcents is spent`
      : `what is left of the ${budget.period} budget of ${budget.limit} microcents is reserved for calls under way, or does not cover this one`;
  return fail(
    "budget_exceeded",
    sentence,
    { limit: budget.limit, current_spending: settled, retry_at: new Date(endsAt).toISOString() },
    { "retry-after": String(Math.max(1, Math.ceil((endsAt - now) / 1000))) },
  );
}
