import { type ControlMigration, eitherMode, required } from "../control-migration.ts";

/** Refused calls of gateways on several machines. Unused while one machine does everything. */
export const up: ControlMigration = async ({ integer, table, keyedTable, index, identity }) => {
  await table("shared_refusals")
    .addColumn("id", integer, identity)
    .addColumn("org_id", "text", required)
    .addColumn("mode", "text", eitherMode)
    .addColumn("created_at", integer, required)
    .addColumn("key_id", "text", required)
    .addColumn("agent_key", "text")
    .addColumn("reason", "text", required)
    .addColumn("limit_value", integer)
    .addColumn("budget_id", "text")
    .execute();
  await index("shared_refusals_by_scope", "shared_refusals", [
    "org_id",
    "mode",
    "created_at",
    "id",
  ]).execute();
  await index("shared_refusals_by_time", "shared_refusals", ["created_at"]).execute();

  await keyedTable("shared_refusal_counts")
    .addColumn("org_id", "text", required)
    .addColumn("mode", "text", eitherMode)
    .addColumn("hour", integer, required)
    .addColumn("reason", "text", required)
    .addColumn("agent_key", "text", required)
    .addColumn("key_id", "text", required)
    .addColumn("node_id", "text", required)
    .addColumn("calls", integer, required)
    .addPrimaryKeyConstraint("shared_refusal_counts_pkey", [
      "org_id",
      "mode",
      "hour",
      "reason",
      "agent_key",
      "key_id",
      "node_id",
    ])
    .execute();
  await index("shared_refusal_counts_by_node", "shared_refusal_counts", ["node_id", "hour"]).execute();
};
