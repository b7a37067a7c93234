import { sql } from "kysely";
import { type ControlMigration, required } from "../control-migration.ts";

const totals = [
  "calls",
  "errors",
  "input_tokens",
  "output_tokens",
  "cost_microcents",
  "unpriced_calls",
] as const;

/** Customers are ranked by weeks, and by the days around them. */
export const up: ControlMigration = async ({ db, engine, integer, keyedTable, counts, index }) => {
  await keyedTable("customer_weeks")
    .addColumn("scope", integer, required)
    .addColumn("customer", integer, required)
    .addColumn("week", integer, required)
    .$call(counts(totals))
    .addPrimaryKeyConstraint("customer_weeks_pkey", ["scope", "customer", "week"])
    .execute();
  await sql`
    INSERT INTO customer_weeks (scope, customer, week, ${sql.join(totals.map(name => sql.ref(name)))})
    SELECT scope, customer, day - day % 604800000, ${sql.join(totals.map(name => sql`sum(${sql.ref(name)})`))}
    FROM customer_days GROUP BY 1, 2, 3`.execute(db);
  await index("customer_days_by_day", "customer_days", ["scope", "day"]).execute();
  // Where control planes are upgraded one after the other, an older one still writes, without these sums: refill-sums.ts.
  if (engine === "postgres") {
    await sql`
      INSERT INTO cursors (reader, node, position)
      SELECT 'read-model:refill', node, 0 FROM cursors WHERE reader = 'read-model:events'`.execute(db);
  }
};
