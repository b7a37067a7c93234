import { emptyTables } from "../database/empty-tables.ts";
import type { LedgerRepair } from "../following/ledger-continuity.ts";
import { LEDGER_START } from "../ledger/ledger-position.ts";

export const PROFILE_CURSOR = "profile:events";

/** Rebuilds the agent profile, behind the read model. */
export const profileRepair: LedgerRepair = {
  reader: PROFILE_CURSOR,
  isRebuilt: true,
  async restart(db, engine) {
    await emptyTables(db, engine, ["profile_days", "profile_sessions"]);
    return LEDGER_START;
  },
};
