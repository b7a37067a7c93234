import {
  type ControlMigration,
  eitherMode,
  key,
  ofOrganization,
  oneOf,
  required,
  zero,
} from "../control-migration.ts";

export const up: ControlMigration = async ({ integer, table, index, uniqueIndex, countChanges }) => {
  // Open live connections recheck their access when members change.
  await countChanges("members", "config_revision");

  // Applied to an agent's calls by the gateway until undone.
  await table("optimizations")
    .addColumn("id", "text", key)
    .addColumn("org_id", "text", ofOrganization)
    .addColumn("mode", "text", eitherMode)
    .addColumn("agent_id", "text", required)
    .addColumn("agent_key", "text", required)
    .addColumn(
      "optimization_type",
      "text",
      oneOf("optimization_type", ["model_switch", "token_guardrails", "prompt_caching"]),
    )
    .addColumn("payload", "text", required)
    .addColumn("source", "text", required)
    .addColumn("applied_by", "text", required)
    .addColumn("applied_at", integer, required)
    .addColumn("undone_at", integer)
    .execute();
  await uniqueIndex("optimizations_in_force", "optimizations", [
    "org_id",
    "mode",
    "agent_id",
    "optimization_type",
  ])
    .where("undone_at", "is", null)
    .execute();
  await index("optimizations_by_agent", "optimizations", [
    "org_id",
    "mode",
    "agent_id",
    "applied_at",
  ]).execute();
  await countChanges("optimizations", "config_revision");

  await table("experiments")
    .addColumn("id", "text", key)
    .addColumn("org_id", "text", ofOrganization)
    .addColumn("mode", "text", eitherMode)
    .addColumn("agent_id", "text", required)
    .addColumn("agent_key", "text", required)
    .addColumn("name", "text", required)
    .addColumn("control_model", "text")
    .addColumn("treatment_model", "text", required)
    .addColumn("traffic_pct", integer, required)
    .addColumn("primary_metric", "text", required)
    .addColumn("max_duration_days", integer, required)
    .addColumn("auto_promote", integer, required)
    .addColumn("status", "text", oneOf("status", ["running", "paused", "completed", "cancelled"]))
    .addColumn("created_at", integer, required)
    .addColumn("ends_at", integer, required)
    .addColumn("ended_at", integer)
    .addColumn("end_reason", "text")
    .addColumn("winner", "text")
    .addColumn("promoted", integer, zero)
    .addColumn("results", "text")
    .addColumn("updated_at", integer, required)
    .execute();
  await uniqueIndex("experiments_open", "experiments", ["org_id", "mode", "agent_id"])
    .where("status", "in", ["running", "paused"])
    .execute();
  await index("experiments_by_time", "experiments", ["org_id", "mode", "created_at"]).execute();
  await countChanges("experiments", "config_revision");
};
