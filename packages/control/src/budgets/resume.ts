import { toIsoTime } from "@tollgate/core/contract/fields/iso-time";
import { fail } from "@tollgate/core/errors";
import type { Handler } from "../kernel/handler.ts";
import { findBudget } from "./find-budget.ts";
import { updateBudget } from "./write-budget.ts";

export const budgetsResume: Handler<"budgets.resume"> = async (context, { id, reset_spending: reset }) => {
  const { row } = await findBudget(context, id);
  if (row.status !== "paused") throw fail("invalid_request", "This budget is not paused");
  await updateBudget(context, id, {
    status: "active",
    // Spend is counted from `since`: advancing it is the reset, and the gateway sees it like any other edit.
    ...(reset ? { since: Math.max(context.now(), row.since + 1) } : {}),
  });
  const resumed = await findBudget(context, id);
  return {
    id,
    status: resumed.row.status,
    current_spending_microcents: resumed.spent,
    unpriced_calls: resumed.unpricedCalls,
    resets_at: toIsoTime(resumed.span.endsAt),
  };
};
