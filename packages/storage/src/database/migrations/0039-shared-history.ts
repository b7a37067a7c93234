import { type ControlMigration, key, required, zero } from "../control-migration.ts";

/** Where the shared ledger begins after retention, and what is still known of the events before. */
export const up: ControlMigration = async ({ schema, integer, table, keyedTable, counts }) => {
  await schema.alterTable("shared_ledger_end").addColumn("begins_position", integer, zero).execute();
  await schema.alterTable("shared_ledger_end").addColumn("begins_at", integer, zero).execute();
  await keyedTable("shared_removed_events")
    .addColumn("org_id", "text", required)
    .addColumn("mode", "text", required)
    .addColumn("month", "text", required)
    .$call(counts(["events", "calls", "cost_microcents", "unpriced_calls"]))
    .addPrimaryKeyConstraint("shared_removed_events_key", ["org_id", "mode", "month"])
    .execute();
  await keyedTable("shared_removed_ids")
    .addColumn("org_id", "text", required)
    .addColumn("id", "text", required)
    .addPrimaryKeyConstraint("shared_removed_ids_key", ["org_id", "id"])
    .execute();
  await table("shared_removed_nodes")
    .addColumn("node_id", "text", key)
    .addColumn("seq", integer, required)
    .execute();
};
