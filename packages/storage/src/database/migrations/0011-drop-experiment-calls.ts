import { sql } from "kysely";
import type { ControlMigration } from "../control-migration.ts";

/** Nothing reads these rows: the calls are in the ledger, and a finished experiment stores its results. */
export const up: ControlMigration = async ({ db, schema }) => {
  await schema.dropTable("experiment_calls").execute();
  for (const table of ["experiment_sessions", "experiment_latencies", "experiment_tallies"]) {
    await sql`
      DELETE FROM ${sql.table(table)}
      WHERE experiment_id IN (SELECT id FROM experiments WHERE results IS NOT NULL)
    `.execute(db);
  }
};
