import type { Budget } from "@tollgate/core/budget";
import type { BudgetAccount } from "@tollgate/core/budget-account";
import { fail, type TollgateError } from "@tollgate/core/errors";
import type { Microcents } from "@tollgate/core/money";

const NO_PRICE = "a strict budget cannot bound the cost of a model without a price";

/** Without a price there is no bound, and a strict budget must have one. */
export type Refusal = "no room" | "no price";

/** The spec's 429. Amounts are microcents; what is only reserved is nobody's spending yet. */
export function budgetExceeded(
  budget: Budget,
  account: BudgetAccount,
  now: number,
  refusal: Refusal,
): TollgateError {
  const { settled, endsAt } = account;
  const sentence = refusal === "no price" ? NO_PRICE : noRoom(budget, settled);
  return fail(
    "budget_exceeded",
    sentence,
    { limit: budget.limit, current_spending: settled, retry_at: new Date(endsAt).toISOString() },
    { "retry-after": String(Math.max(1, Math.ceil((endsAt - now) / 1000))) },
  );
}

function noRoom({ period, limit }: Budget, settled: Microcents): string {
  return settled >= limit
    ? `the ${period} budget of ${limit} microcents is spent`
    : `what is left of the ${period} budget of ${limit} microcents is reserved for calls under way, or does not cover this one`;
}
