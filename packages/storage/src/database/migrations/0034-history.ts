import { sql } from "kysely";
import { type ControlMigration, required, zero } from "../control-migration.ts";

/** Where the history begins after retention, and the sums of the facts that it has removed. */
export const up: ControlMigration = async ({ db, integer, table, keyedTable, counts, countChanges }) => {
  await table("history")
    .addColumn("begins_at", integer, zero)
    .addColumn("begins_seq", integer)
    .addColumn("begins_event_id", "text")
    .addColumn("counted_seq", integer, zero)
    .execute();
  await sql`INSERT INTO history (begins_at, counted_seq) VALUES (0, 0)`.execute(db);
  await countChanges("history", "config_revision");
  await keyedTable("removed_days")
    .addColumn("scope", integer, required)
    .addColumn("day", integer, required)
    .$call(counts(["calls", "errors", "input_tokens", "output_tokens", "cost_microcents", "unpriced_calls"]))
    .addPrimaryKeyConstraint("removed_days_key", ["scope", "day"])
    .execute();
};
