import type { HistoryWindow } from "@tollgate/core/history-window";
import type { Context } from "../context.ts";

export interface AlertCounts {
  readonly triggered: number;
  readonly unread: number;
  readonly critical: number;
}

/** How many alerts fired within the window, how many of them nobody has read, how many are critical. */
export async function countAlerts({ db, scope }: Context, window: HistoryWindow): Promise<AlertCounts> {
  const rows = await db
    .selectFrom("alerts")
    .select(["severity", "read_at"])
    .where("org_id", "=", scope.orgId)
    .where("mode", "=", scope.mode)
    .where("triggered_at", ">=", window.from)
    .where("triggered_at", "<=", window.to)
    .execute();
  return {
    triggered: rows.length,
    unread: rows.filter(row => row.read_at === null).length,
    critical: rows.filter(row => row.severity === "critical").length,
  };
}
