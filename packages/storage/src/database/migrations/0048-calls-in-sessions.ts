import { sql } from "kysely";
import { type ControlMigration, zero } from "../control-migration.ts";

/** How many of each agent's calls are in a session, by day: signal readiness shows the share. */
export const up: ControlMigration = async ({ db, schema, integer }) => {
  await schema.alterTable("agent_version_days").addColumn("session_calls", integer, zero).execute();
  // Counted for older days by the follower (refill-sums.ts). An older control plane that still does the background work would
  // refill only the sums it knows, and then remove `read-model:refill`.
  await sql`
    INSERT INTO cursors (reader, node, position)
    SELECT 'read-model:refill-0048', node, 0 FROM cursors WHERE reader = 'read-model:events'`.execute(db);
};
