import { lockOrganization } from "@tollgate/storage/config/lock-organization";
import type { Engine } from "@tollgate/storage/database/open-control-database";
import type { ControlDb, ControlTransaction, TableName } from "@tollgate/storage/database/schema";
import { type DemoRow, findDemo } from "./demo-row.ts";

interface Parts {
  readonly db: ControlDb;
  readonly engine: Engine;
  readonly now: () => number;
}

/** Rows that belong to another row, by the column that names it; deleted before what they belong to. */
export const parts = [
  ["optimization_effects", "optimization_id", "optimizations"],
  ["switch_watches", "optimization_id", "optimizations"],
  ["switch_watch_sessions", "optimization_id", "optimizations"],
  ["experiment_sessions", "experiment_id", "experiments"],
  ["experiment_latencies", "experiment_id", "experiments"],
  ["experiment_tallies", "experiment_id", "experiments"],
  ["verification_progress", "request_id", "verification_requests"],
  ["verification_pairs", "request_id", "verification_requests"],
  ["delivery_attempts", "delivery_id", "deliveries"],
] as const;

/** Everything about an organization that is not derived from its events. */
export const deletedTables = [
  "session_organizations",
  "members",
  "api_keys",
  "agent_settings",
  "budgets",
  "webhooks",
  "alert_preferences",
  "alerts",
  "alert_thresholds",
  "alert_webhook_secrets",
  "predictions",
  "optimizations",
  "experiments",
  "verification_policies",
  "verification_requests",
  "verification_trials",
  "verdicts",
  "verification_grants",
  "verification_charges",
  "checkouts",
  "redirect_origins",
  "actuations",
  "report_snapshots",
  "queue_marks",
  "proposals",
  "deliveries",
  "outcomes",
  "price_overrides",
  "budget_shares",
  "blocking_budgets",
  "call_shares",
  "agent_slots",
  "shared_refusals",
  "shared_refusal_counts",
] as const satisfies readonly TableName[];

/**
 * What stays, unreachable: the ledger is append-only, and what is derived from it must agree with it. The organization's
 * row and the demo's mark these events as removed.
 */
export const keptTables = [
  "demos",
  "scopes",
  "adjustments",
  "audit_log",
  "shared_events",
  "shared_agents",
  "shared_removed_events",
  "shared_removed_ids",
] as const;

/** Removes the demo of an organization, or the demo that it is. False: there is none. */
export async function removeDemo({ db, engine, now }: Parts, orgId: string): Promise<boolean> {
  return await db.transaction().execute(async transaction => {
    const seen = await findDemo(transaction, orgId);
    if (seen === null) return false;
    await lockOrganization(transaction, engine, seen.home_org_id);
    const demo = await findDemo(transaction, seen.home_org_id);
    if (demo === null) return false;
    await closeDemo(transaction, demo, now());
    return true;
  });
}

/** Nobody is a member any more, no key works, and nothing of it runs. */
export async function closeDemo(
  transaction: ControlTransaction,
  demo: Pick<DemoRow, "org_id">,
  at: number,
): Promise<void> {
  await transaction
    .updateTable("organizations")
    .set({ status: "inactive" })
    .where("id", "=", demo.org_id)
    .execute();
  await deleteRows(transaction, demo.org_id);
  await transaction
    .updateTable("demos")
    .set({ status: "removed", step: null, finished_at: at })
    .where("org_id", "=", demo.org_id)
    .execute();
}

/** Again for whatever was being written while it was removed. */
export async function deleteRows(db: ControlDb, orgId: string): Promise<void> {
  for (const [table, column, parent] of parts) {
    const ids = db.selectFrom(parent).select("id").where("org_id", "=", orgId);
    // Each column is one of its table's, as the list says; the union of all of them is too wide for the compiler.
    await db
      .deleteFrom(table)
      .where(({ eb, ref }) => eb(ref(column as never), "in", ids as never))
      .execute();
  }
  for (const table of deletedTables) await db.deleteFrom(table).where("org_id", "=", orgId).execute();
}
