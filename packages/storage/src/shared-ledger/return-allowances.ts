import { type Budget, countedAt, countsToward, isBlocking } from "@tollgate/core/budgets/budget";
import { withheldBy } from "@tollgate/core/budgets/flags";
import { periodSpan } from "@tollgate/core/budgets/period";
import { type Event, isVerification } from "@tollgate/core/event";
import { microcents } from "@tollgate/core/money/money";
import { monthOf } from "@tollgate/core/time/month";
import { sql } from "kysely";
import { fromRow } from "../database/from-row.ts";
import type { ControlDb, StoredRow } from "../database/schema.ts";
import { turnOf } from "./allowance-bank.ts";
import { inTurn, MAX_IDLE_MS } from "./in-turn.ts";
import { readSharedClock, type SharedDatabase } from "./postgres-clock.ts";

const BATCH_SIZE = 2000;

export interface BudgetShare {
  readonly budget: Budget;
  readonly period: string;
  /** False: the node has never asked for a part of it, for example because it did not block. */
  readonly hasRow: boolean;
  spentMicrocents: number;
}

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
  await countEvents(db, nodeId, budgets, 0, event => {
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

/** Adds what the node has shipped to each share. Events from before `sinceMs` are not looked at. */
export async function countEvents(
  db: ControlDb,
  nodeId: string,
  shares: readonly BudgetShare[],
  sinceMs: number,
  also: (event: Event) => void = () => {},
): Promise<void> {
  const byAgent = Map.groupBy(shares, ({ budget }) => agentName(budget.orgId, budget.agentKey));
  for await (const event of eventsOf(db, nodeId, sinceMs)) {
    for (const share of byAgent.get(agentName(event.org_id, event.agent_key)) ?? []) count(share, event);
    for (const share of byAgent.get(agentName(event.org_id, null)) ?? []) count(share, event);
    also(event);
  }
}

/** How long ago the node last asked for a part of a budget, by PostgreSQL's clock; null: never. */
export async function sinceLastRequestMs(database: SharedDatabase, nodeId: string): Promise<number | null> {
  const row = await database.db
    .selectFrom("budget_shares")
    .select(({ fn }) => fn.max("asked_at").as("askedAt"))
    .where("node_id", "=", nodeId)
    .executeTakeFirst();
  return row === undefined || row.askedAt === null ? null : (await readSharedClock(database)) - row.askedAt;
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

const agentName = (orgId: string, agentKey: string | null) => JSON.stringify([orgId, agentKey]);

function count(share: BudgetShare, event: Event): void {
  const { budget, period } = share;
  if (event.org_id !== budget.orgId || event.mode !== budget.mode || !countsToward(budget, event)) return;
  if (periodSpan(budget.period, countedAt(budget, event.created_at)).id !== period) return;
  share.spentMicrocents += event.cost_microcents + withheldBy(event.budget_flags, budget);
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

async function* eventsOf(db: ControlDb, nodeId: string, sinceMs: number): AsyncGenerator<Event> {
  let position = 0;
  for (;;) {
    const rows = await db
      .selectFrom("shared_events")
      .select(["position", "event"])
      .where("node_id", "=", nodeId)
      .where("created_at", ">=", sinceMs)
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

export function toBudget(stored: StoredRow<"budgets">): Budget {
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
    blockingSinceMs: null,
  };
}
