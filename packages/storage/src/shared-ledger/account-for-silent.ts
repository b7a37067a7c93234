import { DAY_MS, HOUR_MS } from "@tollgate/core/time/durations";
import { sql } from "kysely";
import type { ControlDatabase } from "../database/open-control-database.ts";
import type { ControlDb } from "../database/schema.ts";
import { repeatUntil } from "../following/repeat-until.ts";
import { turnOf } from "./allowance-bank.ts";
import { type BudgetShare, countShipped } from "./count-shipped.ts";
import { inTurn, MAX_IDLE_MS } from "./in-turn.ts";
import { NODE_SILENCE_MS } from "./node-register.ts";
import { postgresNowMs } from "./postgres-clock.ts";
import { toBudget } from "./to-budget.ts";

const EVERY_MS = 1000;
/** A node reports within a second. One that has not after this long is silent, although its sidecar may not be. */
const REPORT_PATIENCE_MS = 15_000;
/** Reports are missing only soon after a budget became blocking: a node that was alive for longer has reported. */
const BECAME_BLOCKING_MS = HOUR_MS;

/** A call from before the budget's start counts at its start, if only a clock was behind. */
const EARLY_MS = DAY_MS;

/** A month, and a day for clocks that differ. */
const LONGEST_PERIOD_MS = 32 * DAY_MS;

interface Missing {
  readonly org_id: string;
  readonly budget_id: string;
  readonly since: number;
  readonly period: string;
  readonly node_id: string;
  readonly blocking_since: number;
  readonly last_seen_at: number;
}

/**
 * When a budget becomes blocking, each node reports what it has spent of it. For one that is silent this reports what it has
 * shipped: otherwise others would be granted money that it has spent. What it has not shipped counts when it is back.
 */
export async function watchSilentNodes(
  database: ControlDatabase,
  onFault: (fault: unknown) => void,
  signal: AbortSignal,
): Promise<void> {
  await repeatUntil(signal, EVERY_MS, () => accountForSilent(database.db), onFault);
}

export async function accountForSilent(
  db: ControlDb,
  silenceMs = NODE_SILENCE_MS,
  maxIdleMs = MAX_IDLE_MS,
): Promise<void> {
  const missing = await missingReports(db, silenceMs);
  for (const [nodeId, ofNode] of Map.groupBy(missing, ({ node_id }) => node_id)) {
    const shares = await Promise.all(ofNode.map(one => openShare(db, one)));
    const known = shares.filter(share => share !== null);
    const sinceMs = Math.min(...known.map(({ period }) => Date.parse(period))) - EARLY_MS;
    // Machines come and go under new names: those of long ago have millions of events, and spent nothing in any current period.
    const recent = known.filter(
      ({ missing: one }) => one.last_seen_at > one.blocking_since - LONGEST_PERIOD_MS,
    );
    if (recent.length > 0) await countShipped(db, nodeId, recent, sinceMs);
    for (const share of known) await report(db, share, maxIdleMs);
  }
}

/** Of the periods that other nodes have asked for since then: which period it is depends on their clocks. */
async function missingReports(db: ControlDb, silenceMs: number): Promise<Missing[]> {
  const { rows } = await sql<Missing>`
    SELECT DISTINCT asked.org_id, asked.budget_id, asked.since, asked.period, nodes.id AS node_id, blocking.blocking_since,
      nodes.last_seen_at
    FROM blocking_budgets AS blocking
    JOIN budget_shares AS asked ON asked.org_id = blocking.org_id AND asked.budget_id = blocking.budget_id
      AND asked.asked_at >= blocking.blocking_since
    JOIN nodes ON nodes.removed_at IS NULL
      AND (nodes.last_seen_at < ${postgresNowMs} - ${sql.lit(silenceMs)}
        OR blocking.blocking_since < ${postgresNowMs} - ${sql.lit(REPORT_PATIENCE_MS)})
    WHERE blocking.blocking_since > ${postgresNowMs} - ${sql.lit(BECAME_BLOCKING_MS)}
      AND NOT EXISTS (
        SELECT 1 FROM budget_shares AS own WHERE own.org_id = asked.org_id AND own.budget_id = asked.budget_id
          AND own.since = asked.since AND own.period = asked.period AND own.node_id = nodes.id
          AND own.reported_since = blocking.blocking_since)`.execute(db);
  return rows;
}

interface MissingShare extends BudgetShare {
  readonly missing: Missing;
}

/** null: the budget has since been deleted or reset. */
async function openShare(db: ControlDb, missing: Missing): Promise<MissingShare | null> {
  const row = await db
    .selectFrom("budgets")
    .selectAll()
    .where("org_id", "=", missing.org_id)
    .where("id", "=", missing.budget_id)
    .where("since", "=", missing.since)
    .executeTakeFirst();
  if (row === undefined) return null;
  return { budget: toBudget(row), period: missing.period, hasRow: false, spentMicrocents: 0, missing };
}

/** In turn, and only if the node itself still has not reported. */
async function report(
  db: ControlDb,
  { budget, period, spentMicrocents: spent, missing: { node_id, blocking_since } }: MissingShare,
  maxIdleMs: number,
): Promise<void> {
  const key = { orgId: budget.orgId, budgetId: budget.id, sinceMs: budget.sinceMs, period };
  const atLeast = (column: string) => sql<number>`GREATEST(budget_shares.${sql.ref(column)}, ${spent})`;
  await inTurn(db, turnOf(key), maxIdleMs, async transaction => {
    await transaction
      .insertInto("budget_shares")
      .values({
        org_id: key.orgId,
        budget_id: key.budgetId,
        since: key.sinceMs,
        period,
        node_id,
        granted_microcents: spent,
        used_microcents: spent,
        settled_microcents: spent,
        is_last: 0,
        // Not now: the node itself has not asked.
        asked_at: blocking_since,
        reported_since: blocking_since,
      })
      .onConflict(conflict =>
        conflict
          .columns(["org_id", "budget_id", "since", "period", "node_id"])
          .doUpdateSet({
            granted_microcents: atLeast("granted_microcents"),
            used_microcents: atLeast("used_microcents"),
            settled_microcents: atLeast("settled_microcents"),
            // Gateways of the previous version look at this one.
            asked_at: sql<number>`GREATEST(budget_shares.asked_at, ${blocking_since})`,
            reported_since: blocking_since,
          })
          .where("budget_shares.reported_since", "is distinct from", blocking_since),
      )
      .execute();
  });
}
