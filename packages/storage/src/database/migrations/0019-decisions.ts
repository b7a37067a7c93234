import {
  type ControlMigration,
  eitherMode,
  key,
  ofOrganization,
  oneOf,
  required,
} from "../control-migration.ts";

export const up: ControlMigration = async ({ integer, table, keyedTable, index, uniqueIndex }) => {
  await table("actuations")
    .addColumn("id", "text", key)
    .addColumn("org_id", "text", ofOrganization)
    .addColumn("mode", "text", eitherMode)
    .addColumn("agent_id", "text")
    .addColumn("agent_key", "text")
    .addColumn("action_type", "text", required)
    .addColumn("change", "text", required)
    .addColumn("subject_id", "text", required)
    .addColumn(
      "authority",
      "text",
      oneOf("authority", ["operator", "api_key", "experiment", "threshold", "breaker"]),
    )
    .addColumn("actor", "text", required)
    .addColumn("asked_at", integer, required)
    .addColumn("applied_at", integer, required)
    .addColumn("first_obeyed_at", integer)
    .addColumn("rolled_back_at", integer)
    .addColumn("rollback_reason", "text")
    .addColumn("rolled_back_by", "text")
    .addColumn("acknowledged_at", integer)
    .addColumn("acknowledged_by", "text")
    .execute();
  await index("actuations_by_time", "actuations", ["org_id", "mode", "applied_at"]).execute();
  await index("actuations_by_subject", "actuations", ["subject_id"]).execute();
  await index("actuations_not_obeyed", "actuations", ["applied_at"])
    .where("first_obeyed_at", "is", null)
    .execute();

  await table("proposals")
    .addColumn("id", "text", key)
    .addColumn("org_id", "text", ofOrganization)
    .addColumn("mode", "text", eitherMode)
    .addColumn("proposal_key", "text", required)
    .addColumn("source", "text", required)
    .addColumn("source_id", "text", required)
    .addColumn("agent_id", "text")
    .addColumn("action_type", "text", required)
    .addColumn("status", "text", required)
    .addColumn("blocked_reason", "text")
    .addColumn("impact", "text", required)
    .addColumn("payload", "text", required)
    .addColumn("decided_by", "text")
    .addColumn("decided_at", integer)
    .addColumn("created_at", integer, required)
    .addColumn("updated_at", integer, required)
    .execute();
  await keyedTable("queue_marks")
    .addColumn("org_id", "text", ofOrganization)
    .addColumn("mode", "text", eitherMode)
    .addColumn("item_id", "text", required)
    .addColumn("snoozed_until", integer)
    .addColumn("acknowledged_at", integer)
    .addColumn("marked_by", "text", required)
    .addColumn("marked_at", integer, required)
    .addPrimaryKeyConstraint("queue_marks_pkey", ["org_id", "mode", "item_id"])
    .execute();
  await uniqueIndex("proposals_by_key", "proposals", ["org_id", "mode", "proposal_key"]).execute();
};
