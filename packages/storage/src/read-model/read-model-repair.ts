import { emptyTables } from "../database/empty-tables.ts";
import type { LedgerRepair } from "../following/ledger-continuity.ts";
import { LEDGER_START } from "../ledger/ledger-position.ts";
import { isFactOf } from "./verify-facts.ts";

export const EVENTS_CURSOR = "read-model:events";

/** How far cost adjustments are included in the read model. Its position is an adjustment's id. */
export const ADJUSTMENTS_CURSOR = "read-model:adjustments";

/**
 * Rebuilds the read model. Scopes, models and agents keep their ids: configuration, outcomes and alerts refer to
 * agents, even to one whose calls were lost. Adjustments were made by people and are added again with their events.
 */
export const readModelRepair: LedgerRepair = {
  reader: EVENTS_CURSOR,
  isRebuilt: true,
  recognizes: isFactOf,
  async restart(db, engine) {
    await emptyTables(db, engine, [
      "facts",
      "external_ids",
      "rollup_hours",
      "rollup_days",
      "customer_days",
      "subject_hours",
      "subject_days",
      "sessions",
      "customers",
      "config_versions",
      "used_keys",
    ]);
    await db.updateTable("agents").set({ last_call_at: null }).execute();
    return LEDGER_START;
  },
};
