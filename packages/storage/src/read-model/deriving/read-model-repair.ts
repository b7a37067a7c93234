import { sql } from "kysely";
import { emptyTables } from "../../database/empty-tables.ts";
import { readHistory } from "../../database/history.ts";
import type { ControlDb } from "../../database/schema.ts";
import type { LedgerRepair } from "../../following/ledger-continuity.ts";
import { LEDGER_START } from "../../ledger/ledger-position.ts";
import { LISTS_CURSOR } from "../fact-lists.ts";
import { totalColumns } from "../rollup-sums.ts";
import { totalsOfFacts } from "../sum-of.ts";
import { sumCustomerWeeks } from "./refill-sums.ts";
import { removeFacts } from "./remove-facts.ts";
import { isFactOf } from "./verify-facts.ts";

export const EVENTS_CURSOR = "read-model:events";

/** How far cost adjustments are included in the read model. Its position is an adjustment's id. */
export const ADJUSTMENTS_CURSOR = "read-model:adjustments";

/**
 * Rebuilds the read model. Scopes, models and agents keep their ids: configuration, outcomes and alerts refer to
 * agents, even to one whose calls were lost. Adjustments were made by people and are added again with their events.
 * Sums of the time before the history begins are kept: the events behind them are gone.
 */
export const readModelRepair: LedgerRepair = {
  reader: EVENTS_CURSOR,
  isRebuilt: true,
  recognizes: isFactOf,
  async restart(db, engine) {
    await db.deleteFrom("cursors").where("reader", "=", LISTS_CURSOR).execute();
    const { beginsAtMs } = await readHistory(db);
    if (beginsAtMs > 0) {
      await keepOlderSums(db, beginsAtMs);
      await emptyTables(db, engine, [...byEvent]);
      return LEDGER_START;
    }
    await emptyTables(db, engine, [
      ...byEvent,
      "rollup_hours",
      "rollup_days",
      "customer_days",
      "customer_weeks",
      "subject_hours",
      "subject_days",
      "agent_version_days",
      "sessions",
      "customers",
      "config_versions",
      "used_keys",
    ]);
    await db.updateTable("agents").set({ last_call_at: null }).execute();
    return LEDGER_START;
  },
};

const byEvent = ["facts", "fact_lists", "fact_volumes", "external_ids"] as const;

const sumsByTime = [
  ["rollup_hours", "hour"],
  ["rollup_days", "day"],
  ["customer_days", "day"],
  ["subject_hours", "hour"],
  ["subject_days", "day"],
  ["agent_version_days", "day"],
] as const;

const subjects = [
  ["sessions", "session"],
  ["customers", "customer"],
  ["config_versions", "config_version"],
  ["used_keys", "used_key"],
] as const;

/** Leaves what was derived from calls before a moment, which is the start of a day. */
async function keepOlderSums(db: ControlDb, beginsAtMs: number): Promise<void> {
  // Reported late: they are in the sums that are kept.
  await removeFacts(db, sql`created_at < ${beginsAtMs}`);
  for (const [table, time] of sumsByTime) {
    await sql`DELETE FROM ${sql.table(table)} WHERE ${sql.ref(time)} >= ${beginsAtMs}`.execute(db);
  }
  // The week in which the history begins straddles the boundary.
  await sumCustomerWeeks(db, beginsAtMs);
  for (const [table, column] of subjects) {
    await sql`DELETE FROM ${sql.table(table)} WHERE first_at >= ${beginsAtMs}`.execute(db);
    const less = totalColumns.map(
      total => sql`${sql.ref(total)} = ${sql.table(table)}.${sql.ref(total)} - newer.${sql.ref(total)}`,
    );
    await sql`UPDATE ${sql.table(table)} SET last_at = ${beginsAtMs - 1}, ${sql.join(less)}
      FROM (SELECT ${sql.ref(column)} AS subject, ${sql.join(totalsOfFacts)} FROM facts
        WHERE ${sql.ref(column)} IS NOT NULL GROUP BY 1) AS newer
      WHERE newer.subject = ${sql.table(table)}.id`.execute(db);
  }
  await db
    .updateTable("agents")
    .set({ last_call_at: null })
    .where("last_call_at", ">=", beginsAtMs)
    .execute();
}
