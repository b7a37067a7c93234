import { WATCH_MS } from "@tollgate/core/breaker/switch-watch";
import type { ControlDb } from "@tollgate/storage/database/schema";

/** Model switches in force that were made within the last day, of agents whose breaker is on. */
export function watchedSwitches(db: ControlDb, now: number) {
  return db
    .selectFrom("optimizations")
    .leftJoin("agent_settings", "agent_settings.agent_id", "optimizations.agent_id")
    .where("optimization_type", "=", "model_switch")
    .where("undone_at", "is", null)
    .where("applied_at", ">", now - WATCH_MS)
    .where(({ eb, fn, val }) => eb(fn.coalesce("breaker_off", val(0)), "=", 0));
}
