import { countedAt } from "@tollgate/core/budgets/budget";
import { periodSpan } from "@tollgate/core/budgets/period";
import { isVerification } from "@tollgate/core/event";
import { monthOf } from "@tollgate/core/time/month";
import { sql } from "kysely";
import type { ControlDb, StoredRow } from "../database/schema.ts";
import { turnOf } from "./allowance-bank.ts";
import { type BudgetShare, countShipped } from "./count-shipped.ts";
import { inTurn, MAX_IDLE_MS } from "./in-turn.ts";
import { toBudget } from "./to-budget.ts";

interface CallShare {
  readonly row: StoredRow<"call_shares">;
  calls: number;
}

/**
 * Returns what a dead node was granted and has not used. What it has used is what it last reported, or what it shipped, if
 * that is more: it may have used more of its grant after its last report. Calls that were open when it died are counted
 * if it comes back. What it shipped of budgets that do not block counts, too, if they do so later: it will not report it.
 */
export async function returnAllowances(
  db: ControlDb,
  nodeId: string,
  nowMs: number,
  maxIdleMs = MAX_IDLE_MS,
): Promise<void> {
  const budgets = await budgetShares(db, nodeId, nowMs);
  const months = (await db.selectFrom("call_shares").selectAll().where("node_id", "=", nodeId).execute()).map(
    (row): CallShare => ({ row, calls: 0 }),
  );
  if (budgets.length === 0 && months.length === 0) return;
  await countShipped(db, nodeId, budgets, 0, event => {
    if (event.mode !== "live" || isVerification(event.source)) return;
    const month = monthOf(event.created_at);
    const share = months.find(({ row }) => row.org_id === event.org_id && row.month === month);
    if (share !== undefined) share.calls++;
  });
  for (const share of budgets) {
    if (share.hasRow || share.spentMicrocents > 0) await returnBudget(db, nodeId, share, maxIdleMs);
  }
  for (const { row, calls } of months) {
    await db
      .updateTable("call_shares")
      .set({ granted_calls: sql<number>`LEAST(granted_calls, GREATEST(used_calls, ${calls}))` })
      .where("org_id", "=", row.org_id)
      .where("month", "=", row.month)
      .where("node_id", "=", nodeId)
      .execute();
  }
}

/** In turn, and from the row as it is by then: the node may have asked while its events were read. */
async function returnBudget(
  db: ControlDb,
  nodeId: string,
  share: BudgetShare,
  maxIdleMs: number,
): Promise<void> {
  const { budget, period, spentMicrocents: spent } = share;
  const { orgId, id: budgetId, sinceMs } = budget;
  await inTurn(db, turnOf({ orgId, budgetId, sinceMs, period }), maxIdleMs, async transaction => {
    await transaction
      .insertInto("budget_shares")
      .values({
        org_id: orgId,
        budget_id: budgetId,
        since: sinceMs,
        period,
        node_id: nodeId,
        granted_microcents: spent,
        used_microcents: spent,
        settled_microcents: spent,
        is_last: 0,
      })
      .onConflict(conflict =>
        conflict.columns(["org_id", "budget_id", "since", "period", "node_id"]).doUpdateSet({
          granted_microcents: sql<number>`LEAST(budget_shares.granted_microcents, GREATEST(budget_shares.used_microcents, ${spent}))`,
          is_last: 0,
        }),
      )
      .execute();
  });
}

/**
 * Of budgets that still count from the same moment: those that the node asked for, and all in their current periods. The
 * bounds of verifications end with them, and are left as they are.
 */
async function budgetShares(db: ControlDb, nodeId: string, nowMs: number): Promise<BudgetShare[]> {
  const rows = await db.selectFrom("budget_shares").selectAll().where("node_id", "=", nodeId).execute();
  const periods = Map.groupBy(rows, ({ budget_id }) => budget_id);
  const stored = await db.selectFrom("budgets").selectAll().execute();
  return stored.map(toBudget).flatMap(budget => {
    const known = (periods.get(budget.id) ?? []).filter(({ since }) => since === budget.sinceMs);
    const { id: current } = periodSpan(budget.period, countedAt(budget, nowMs));
    const shares = known.map(({ period }) => ({ budget, period, hasRow: true, spentMicrocents: 0 }));
    if (known.some(({ period }) => period === current)) return shares;
    return [...shares, { budget, period: current, hasRow: false, spentMicrocents: 0 }];
  });
}
