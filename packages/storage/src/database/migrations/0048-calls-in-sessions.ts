import { sql } from "kysely";
import { type ControlMigration, zero } from "../control-migration.ts";

/** How many of each agent's calls are in a session, by day: signal readiness shows the share. */
export const up: ControlMigration = async ({ db, schema, integer }) => {
  await schema.alterTable("agent_version_days").addColumn("session_calls", integer, zero).execute();
  // Counted for older days by the follower, which starts over if it was still filling older sums (refill-sums.ts).
  await sql`
    INSERT INTO cursors (reader, node, position)
    SELECT 'read-model:refill', node, 0 FROM cursors WHERE reader = 'read-model:events' AND position > 0
    ON CONFLICT (reader, node) DO UPDATE SET position = 0`.execute(db);
};
