import { type ControlMigration, eitherMode, key, ofOrganization, required } from "../control-migration.ts";

export const up: ControlMigration = async ({
  db,
  schema,
  integer,
  table,
  keyedTable,
  index,
  uniqueIndex,
}) => {
  // A report as it was when it was created; it is never computed again.
  await table("report_snapshots")
    .addColumn("id", "text", key)
    .addColumn("org_id", "text", ofOrganization)
    .addColumn("mode", "text", eitherMode)
    .addColumn("title", "text", required)
    .addColumn("token_digest", "text", required)
    .addColumn("snapshot", "text", required)
    .addColumn("snapshot_hash", "text", required)
    .addColumn("methodology_version", "text", required)
    .addColumn("created_by", "text", required)
    .addColumn("created_at", integer, required)
    .addColumn("expires_at", integer, required)
    .addColumn("revoked_at", integer)
    .execute();
  await uniqueIndex("report_snapshots_by_token", "report_snapshots", ["token_digest"]).execute();
  await index("report_snapshots_by_time", "report_snapshots", ["org_id", "mode", "created_at"]).execute();

  // Savings by hour and by the requested model; a reader without a cursor counts from the ledger's beginning.
  await schema.dropTable("optimization_effects").execute();
  await keyedTable("optimization_effects")
    .addColumn("optimization_id", "text", required)
    .addColumn("hour", integer, required)
    .addColumn("asked_model", "text", required)
    .addColumn("calls", integer, required)
    .addColumn("priced_calls", integer, required)
    .addColumn("saved_microcents", integer, required)
    .addPrimaryKeyConstraint("optimization_effects_by_hour_pkey", ["optimization_id", "hour", "asked_model"])
    .execute();
  await db.deleteFrom("cursors").where("reader", "=", "optimizations:events").execute();
};
