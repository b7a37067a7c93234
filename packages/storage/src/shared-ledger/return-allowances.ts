import { type Budget, countedAt, countsToward } from "@tollgate/core/budgets/budget";
import { withheldBy } from "@tollgate/core/budgets/flags";
import { periodSpan } from "@tollgate/core/budgets/period";
import { type Event, isVerification } from "@tollgate/core/event";
import { microcents } from "@tollgate/core/money/money";
import { monthOf } from "@tollgate/core/time/month";
import { sql } from "kysely";
import { fromRow } from "../database/from-row.ts";
import type { ControlDb, StoredRow } from "../database/schema.ts";
import { postgresNowMs, turnOf } from "./allowance-bank.ts";
import { inTurn, MAX_IDLE_MS } from "./in-turn.ts";

const BATCH_SIZE = 2000;

interface BudgetShare {
  readonly row: StoredRow<"budget_shares">;
  readonly budget: Budget;
  spentMicrocents: number;
}

interface CallShare {
  readonly row: StoredRow<"call_shares">;
  calls: number;
}

/**
 * Returns what a dead node was granted and has not used. What it has used is what it last reported, or what it shipped, if
 * that is more: it may have used more of its grant after its last report. Calls that were open when it died are counted
 * if it comes back.
 */
export async function returnAllowances(db: ControlDb, nodeId: string): Promise<void> {
  const budgets = await budgetShares(db, nodeId);
  const months = (await db.selectFrom("call_shares").selectAll().where("node_id", "=", nodeId).execute()).map(
    (row): CallShare => ({ row, calls: 0 }),
  );
  if (budgets.length === 0 && months.length === 0) return;
  for await (const event of eventsOf(db, nodeId)) {
    for (const share of budgets) count(share, event);
    if (event.mode !== "live" || isVerification(event.source)) continue;
    const month = monthOf(event.created_at);
    const share = months.find(({ row }) => row.org_id === event.org_id && row.month === month);
    if (share !== undefined) share.calls++;
  }
  for (const share of budgets) await returnBudget(db, share);
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

/** How long ago the node last asked for a part of a budget, by PostgreSQL's clock; null: never. */
export async function sinceLastRequestMs(db: ControlDb, nodeId: string): Promise<number | null> {
  const row = await db
    .selectFrom("budget_shares")
    .select(({ fn }) => fn.max("asked_at").as("askedAt"))
    .where("node_id", "=", nodeId)
    .executeTakeFirst();
  if (row === undefined || row.askedAt === null) return null;
  const { rows } = await sql<{ ms: number }>`SELECT ${postgresNowMs} AS ms`.execute(db);
  return (rows[0]?.ms ?? Date.now()) - row.askedAt;
}

/** In turn, and from the row as it is by then: the node may have asked while its events were read. */
async function returnBudget(db: ControlDb, { row, spentMicrocents }: BudgetShare): Promise<void> {
  const key = { orgId: row.org_id, budgetId: row.budget_id, sinceMs: row.since, period: row.period };
  await inTurn(db, turnOf(key), MAX_IDLE_MS, async transaction => {
    await transaction
      .updateTable("budget_shares")
      .set({
        granted_microcents: sql<number>`LEAST(granted_microcents, GREATEST(used_microcents, ${spentMicrocents}))`,
        is_last: 0,
      })
      .where("org_id", "=", row.org_id)
      .where("budget_id", "=", row.budget_id)
      .where("since", "=", row.since)
      .where("period", "=", row.period)
      .where("node_id", "=", row.node_id)
      .execute();
  });
}

function count(share: BudgetShare, event: Event): void {
  const { budget, row } = share;
  if (event.org_id !== budget.orgId || event.mode !== budget.mode || !countsToward(budget, event)) return;
  if (periodSpan(budget.period, countedAt(budget, event.created_at)).id !== row.period) return;
  share.spentMicrocents += event.cost_microcents + withheldBy(event.budget_flags, budget);
}

/** Of budgets that still count from the same moment. The bounds of verifications end with them, and are left as they are. */
async function budgetShares(db: ControlDb, nodeId: string): Promise<BudgetShare[]> {
  const rows = await db.selectFrom("budget_shares").selectAll().where("node_id", "=", nodeId).execute();
  const ids = [...new Set(rows.map(({ budget_id }) => budget_id))];
  if (ids.length === 0) return [];
  const stored = await db.selectFrom("budgets").selectAll().where("id", "in", ids).execute();
  const budgets = new Map(stored.map(row => [row.id, toBudget(row)]));
  return rows.flatMap(row => {
    const budget = budgets.get(row.budget_id);
    return budget?.sinceMs === row.since ? [{ row, budget, spentMicrocents: 0 }] : [];
  });
}

async function* eventsOf(db: ControlDb, nodeId: string): AsyncGenerator<Event> {
  let position = 0;
  for (;;) {
    const rows = await db
      .selectFrom("shared_events")
      .select(["position", "event"])
      .where("node_id", "=", nodeId)
      .where("position", ">", position)
      .orderBy("position")
      .limit(BATCH_SIZE)
      .execute();
    for (const { event } of rows) yield JSON.parse(event) as Event;
    const last = rows.at(-1);
    if (last === undefined) return;
    position = last.position;
  }
}

function toBudget(stored: StoredRow<"budgets">): Budget {
  const row = fromRow("budgets", stored);
  return {
    id: row.id,
    orgId: row.org_id,
    mode: row.mode,
    agentKey: row.agent_key,
    keyId: row.key_id,
    customerId: row.customer_id,
    verificationId: null,
    period: row.period,
    limitMicrocents: microcents(row.limit_microcents),
    enforcement: row.enforcement_mode,
    isStrict: row.strict === 1,
    allowsUnpriced: row.allow_unpriced === 1,
    isPaused: row.status === "paused",
    sinceMs: row.since,
  };
}
