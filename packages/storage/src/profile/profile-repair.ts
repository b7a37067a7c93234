import { sql } from "kysely";
import { emptyTables } from "../database/empty-tables.ts";
import { readHistory } from "../database/history.ts";
import type { LedgerRepair } from "../following/ledger-continuity.ts";
import { LEDGER_START } from "../ledger/ledger-position.ts";

export const PROFILE_CURSOR = "profile:events";

/** Up to when weeks are summed, and the last event of the days when they were. Its position is a time. */
export const WEEKS_CURSOR = "profile:weeks";

/** Rebuilds the agent profile, behind the read model. */
export const profileRepair: LedgerRepair = {
  reader: PROFILE_CURSOR,
  isRebuilt: true,
  async restart(db, engine) {
    await db.deleteFrom("cursors").where("reader", "=", WEEKS_CURSOR).execute();
    const { beginsAtMs } = await readHistory(db);
    if (beginsAtMs > 0) {
      await db.deleteFrom("profile_days").where("day", ">=", beginsAtMs).execute();
      // The repair of the read model runs first, and leaves the sessions from before.
      await sql`DELETE FROM profile_sessions WHERE NOT EXISTS (SELECT 1 FROM sessions
        WHERE sessions.scope = profile_sessions.scope AND sessions.session_id = profile_sessions.session_id)`.execute(
        db,
      );
    } else await emptyTables(db, engine, ["profile_days", "profile_sessions"]);
    return LEDGER_START;
  },
};
