import { sql } from "kysely";
import { type ControlMigration, required, zero } from "../control-migration.ts";

const totals = [
  "calls",
  "errors",
  "input_tokens",
  "output_tokens",
  "cost_microcents",
  "unpriced_calls",
] as const;

const costKinds = [
  "input",
  "cache_read",
  "cache_write",
  "output",
  "reasoning",
  "tools",
  "reported",
  "adjustment",
] as const;

/**
 * Costs by kind, and sums of each config version, API key and customer. The follower completes older facts (complete-older-facts.ts), because
 * only the ledger knows their usage and source.
 */
export const up: ControlMigration = async ({ db, schema, integer, keyedTable, counts }) => {
  for (const table of ["facts", "rollup_hours", "rollup_days"]) {
    for (const kind of costKinds) {
      await schema.alterTable(table).addColumn(`${kind}_microcents`, integer, zero).execute();
    }
  }
  await schema.alterTable("facts").addColumn("source", integer, zero).execute();
  for (const unit of ["hour", "day"]) {
    const table = `subject_${unit}s`;
    await keyedTable(table)
      .addColumn("scope", integer, required)
      .addColumn("kind", integer, required)
      .addColumn(unit, integer, required)
      .addColumn("subject", integer, required)
      .$call(counts(totals))
      .addPrimaryKeyConstraint(`${table}_pkey`, ["scope", "kind", unit, "subject"])
      .execute();
  }
  const names = sql.join(totals.map(name => sql.ref(name)));
  const sums = sql.join(totals.map(name => sql`sum(${sql.ref(name)})`));
  for (const [kind, column] of [
    [1, "config_version"],
    [2, "used_key"],
    [3, "customer"],
  ] as const) {
    await sql`
      INSERT INTO subject_hours (scope, kind, hour, subject, ${names})
      SELECT scope, ${sql.lit(kind)}, created_at - created_at % 3600000, coalesce(${sql.ref(column)}, 0), count(*),
        sum(CASE WHEN status IN (1, 2, 4) THEN 1 ELSE 0 END), sum(input_tokens), sum(output_tokens),
        sum(cost_microcents), sum(unpriced)
      FROM facts GROUP BY 1, 3, 4`.execute(db);
  }
  await sql`
    INSERT INTO subject_days (scope, kind, day, subject, ${names})
    SELECT scope, kind, hour - hour % 86400000, subject, ${sums} FROM subject_hours WHERE kind < 3
    GROUP BY 1, 2, 3, 4`.execute(db);
  // Calls without a customer.
  await sql`
    INSERT INTO customer_days (scope, customer, day, ${names})
    SELECT scope, 0, hour - hour % 86400000, ${sums} FROM subject_hours WHERE kind = 3 AND subject = 0
    GROUP BY 1, 3`.execute(db);
  await sql`
    INSERT INTO cursors (reader, node, position)
    SELECT 'read-model:older-facts', node, 0 FROM cursors WHERE reader = 'read-model:events' AND position > 0
  `.execute(db);
};
