import { emptyTables } from "../database/empty-tables.ts";
import type { LedgerConsumer } from "../following/ledger-continuity.ts";
import { LEDGER_START } from "../ledger/ledger-position.ts";
import { PROFILE_CURSOR } from "./follow-profile.ts";

/** Rebuilds the agent profile, behind the read model. */
export const profileConsumer: LedgerConsumer = {
  cursor: PROFILE_CURSOR,
  isRebuilt: true,
  async restart(db, engine) {
    await emptyTables(db, engine, ["profile_days", "profile_sessions"]);
    return LEDGER_START;
  },
};
