import { sql } from "kysely";
import { type ControlMigration, required } from "../control-migration.ts";

/** Customers are ranked by weeks, and by the days around them. */
export const up: ControlMigration = async ({ db, integer, keyedTable, counts, index }) => {
  await keyedTable("customer_weeks")
    .addColumn("scope", integer, required)
    .addColumn("customer", integer, required)
    .addColumn("week", integer, required)
    .$call(counts(["calls", "errors", "input_tokens", "output_tokens", "cost_microcents", "unpriced_calls"]))
    .addPrimaryKeyConstraint("customer_weeks_pkey", ["scope", "customer", "week"])
    .execute();
  await index("customer_days_by_day", "customer_days", ["scope", "day"]).execute();
  // Both are filled by the follower (refill-sums.ts): a large installation would wait for half a minute here, and where control
  // planes are upgraded one after the other, an older one still writes without them.
  await sql`
    INSERT INTO cursors (reader, node, position)
    SELECT 'read-model:refill', node, 0 FROM cursors WHERE reader = 'read-model:events' AND position > 0`.execute(
    db,
  );
};
