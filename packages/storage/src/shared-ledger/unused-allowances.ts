import { countedAt, isBlocking } from "@tollgate/core/budgets/budget";
import { periodSpan } from "@tollgate/core/budgets/period";
import type { ControlDb } from "../database/schema.ts";
import { toBudget } from "./to-budget.ts";

/** What nodes hold of budgets in their current periods, and had not used when they last reported, by node. */
export async function unusedAllowances(db: ControlDb, nowMs: number): Promise<ReadonlyMap<string, number>> {
  const rows = await db.selectFrom("budget_shares").selectAll().execute();
  const budgets = (await db.selectFrom("budgets").selectAll().execute()).map(toBudget);
  const byId = new Map(budgets.filter(isBlocking).map(budget => [budget.id, budget]));
  const unused = new Map<string, number>();
  for (const { budget_id, since, period, node_id, granted_microcents, used_microcents } of rows) {
    const budget = byId.get(budget_id);
    if (budget === undefined || budget.sinceMs !== since) continue;
    if (periodSpan(budget.period, countedAt(budget, nowMs)).id !== period) continue;
    const rest = Math.max(0, granted_microcents - used_microcents);
    if (rest > 0) unused.set(node_id, (unused.get(node_id) ?? 0) + rest);
  }
  return unused;
}
