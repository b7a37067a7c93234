import { countedAt } from "@tollgate/core/budgets/budget";
import { periodSpan } from "@tollgate/core/budgets/period";
import { monthOf } from "@tollgate/core/time/month";
import type { Directory } from "@tollgate/storage/config/directory";
import type { ControlDb } from "@tollgate/storage/database/schema";
import type { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";

/**
 * Records what this machine has used of budgets and monthly calls in the current periods as its part of them. Otherwise
 * new gateways would start with the whole limits until this machine's gateway reports its own use.
 */
export async function divideLimits(
  db: ControlDb,
  directory: Directory,
  ledger: LedgerReader,
  nodeId: string,
  nowMs: number,
): Promise<void> {
  for (const budget of directory.allBudgets()) {
    const { id: period } = periodSpan(budget.period, countedAt(budget, nowMs));
    const spend = ledger.budgetSpend(budget.id, budget.sinceMs, period);
    if (spend === null) continue;
    const used = spend.spent_microcents + spend.withheld_microcents;
    await db
      .insertInto("budget_shares")
      .values({
        org_id: budget.orgId,
        budget_id: budget.id,
        since: budget.sinceMs,
        period,
        node_id: nodeId,
        granted_microcents: used,
        used_microcents: used,
        is_last: 0,
        settled_microcents: used,
      })
      .onConflict(conflict => conflict.doNothing())
      .execute();
  }
  const month = monthOf(nowMs);
  for (const { org_id, calls } of ledger.monthlyCalls().filter(row => row.month === month)) {
    await db
      .insertInto("call_shares")
      .values({ org_id, month, node_id: nodeId, granted_calls: calls, used_calls: calls, made_calls: calls })
      .onConflict(conflict => conflict.doNothing())
      .execute();
  }
}
