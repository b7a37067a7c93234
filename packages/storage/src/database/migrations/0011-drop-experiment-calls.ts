import { sql } from "kysely";
import type { ControlMigration } from "../control-migration.ts";

/** The ledger has the calls, and an experiment that is over keeps its results: nothing reads these rows. */
export const up: ControlMigration = async ({ db, schema }) => {
  await schema.dropTable("experiment_calls").execute();
  for (const table of ["experiment_sessions", "experiment_latencies", "experiment_tallies"]) {
    await sql`
      DELETE FROM ${sql.table(table)}
      WHERE experiment_id IN (SELECT id FROM experiments WHERE results IS NOT NULL)
    `.execute(db);
  }
};
