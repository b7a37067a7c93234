import { sql } from "kysely";
import { type ControlMigration, zero } from "../control-migration.ts";

const totals = ["calls", "errors", "input_tokens", "output_tokens", "cost_microcents"] as const;

/**
 * Every total counts its calls without a known price. The follower backfills older facts (count-older-unpriced.ts),
 * because only the ledger knows whether an event was unpriced.
 */
export const up: ControlMigration = async ({ db, schema, integer, index }) => {
  await schema.alterTable("facts").addColumn("unpriced", integer, zero).execute();
  for (const table of [
    "sessions",
    "customers",
    "config_versions",
    "rollup_hours",
    "rollup_days",
    "customer_days",
  ]) {
    await schema.alterTable(table).addColumn("unpriced_calls", integer, zero).execute();
  }
  for (const unit of ["hour", "day"]) {
    const columns = ["scope", unit, "agent", ...totals, "unpriced_calls", "latency_sum_ms"];
    await schema.dropIndex(`rollup_${unit}s_by_agent`).execute();
    await index(`rollup_${unit}s_by_agent`, `rollup_${unit}s`, columns).where("model", "=", 0).execute();
  }
  await sql`
    INSERT INTO cursors (name, position)
    SELECT 'read-model:unpriced', 0 FROM cursors WHERE name = 'read-model:events' AND position > 0
  `.execute(db);

  // The rates of other models used within the same call, to explain a rerated difference.
  await schema.alterTable("adjustments").addColumn("additional_cards", "text").execute();
};
