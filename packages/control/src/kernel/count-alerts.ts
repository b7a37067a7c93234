import type { HistoryWindow } from "@tollgate/core/limits/history-window";
import { inScope } from "@tollgate/storage/ledger/in-scope";
import { sumOf } from "@tollgate/storage/read-model/sum-of";
import { sql } from "kysely";
import type { Context } from "./context.ts";

interface AlertCounts {
  readonly triggered: number;
  readonly unread: number;
  readonly critical: number;
}

/**
 * How many alerts fired within the window, and how many of them are unread or critical. In the kernel because budgets
 * show the count, and alerts depend on budgets.
 */
export async function countAlerts({ db, scope }: Context, window: HistoryWindow): Promise<AlertCounts> {
  const row = await db
    .selectFrom("alerts")
    .select([
      sql<number>`count(*)`.as("triggered"),
      sumOf(sql`CASE WHEN read_at IS NULL THEN 1 ELSE 0 END`).as("unread"),
      sumOf(sql`CASE WHEN severity = 'critical' THEN 1 ELSE 0 END`).as("critical"),
    ])
    .where(inScope(scope))
    .where("triggered_at", ">=", window.from)
    .where("triggered_at", "<=", window.to)
    .executeTakeFirstOrThrow();
  return row;
}
