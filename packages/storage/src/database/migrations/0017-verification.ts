import {
  type ControlMigration,
  eitherMode,
  key,
  ofOrganization,
  oneOf,
  required,
} from "../control-migration.ts";

export const up: ControlMigration = async ({
  integer,
  real,
  table,
  keyedTable,
  index,
  uniqueIndex,
  countChanges,
}) => {
  await table("verification_policies")
    .addColumn("id", "text", key)
    .addColumn("org_id", "text", ofOrganization)
    .addColumn("name", "text", required)
    .addColumn("margin", real, required)
    .addColumn("max_pairs", integer, required)
    .addColumn("max_spend_microcents", integer, required)
    .addColumn("share_pct", integer, required)
    .addColumn("judge_model", "text")
    .addColumn("evidence_mode", "text", oneOf("evidence_mode", ["shadow", "experiment", "captured"]))
    .addColumn("created_at", integer, required)
    .addColumn("updated_at", integer, required)
    .execute();
  await uniqueIndex("verification_policies_by_name", "verification_policies", ["org_id", "name"]).execute();

  // The gateway samples calls for every collecting request.
  await table("verification_requests")
    .addColumn("id", "text", key)
    .addColumn("org_id", "text", ofOrganization)
    .addColumn("mode", "text", eitherMode)
    .addColumn("agent_id", "text")
    .addColumn("agent_key", "text")
    .addColumn("prod_provider", "text", required)
    .addColumn("prod_model", "text", required)
    .addColumn("candidate_provider", "text", required)
    .addColumn("candidate_model", "text", required)
    .addColumn("judge_provider", "text")
    .addColumn("judge_model", "text")
    .addColumn("policy_id", "text", required)
    .addColumn("evidence_mode", "text", oneOf("evidence_mode", ["shadow", "experiment", "captured"]))
    .addColumn("share_pct", integer, required)
    .addColumn("max_pairs", integer, required)
    .addColumn("max_spend_microcents", integer, required)
    .addColumn("seed", "text", required)
    .addColumn("status", "text", oneOf("status", ["queued", "collecting", "concluded", "voided", "expired"]))
    .addColumn("trial_id", "text", required)
    .addColumn("verdict_id", "text")
    .addColumn("end_reason", "text")
    .addColumn("created_by", "text", required)
    .addColumn("created_at", integer, required)
    .addColumn("expires_at", integer, required)
    .addColumn("ended_at", integer)
    .execute();
  await index("verification_requests_by_time", "verification_requests", [
    "org_id",
    "mode",
    "created_at",
  ]).execute();
  await index("verification_requests_open", "verification_requests", ["status"])
    .where("status", "in", ["queued", "collecting"])
    .execute();
  await countChanges("verification_requests", "config_revision");

  await table("verification_trials")
    .addColumn("id", "text", key)
    .addColumn("org_id", "text", ofOrganization)
    .addColumn("mode", "text", eitherMode)
    .addColumn("request_id", "text", column => column.notNull().unique())
    .addColumn("plan", "text", required)
    .addColumn("plan_hash", "text", required)
    .addColumn("status", "text", oneOf("status", ["registered", "concluded", "voided"]))
    .addColumn("void_reason", "text")
    .addColumn("verdict_id", "text")
    .addColumn("registered_at", integer, required)
    .addColumn("ended_at", integer)
    .execute();
  await index("verification_trials_by_time", "verification_trials", [
    "org_id",
    "mode",
    "registered_at",
  ]).execute();

  // Separate from the request, because changing that is a configuration change.
  await table("verification_progress")
    .addColumn("request_id", "text", key)
    .addColumn("pairs", integer, required)
    .addColumn("controls", integer, required)
    .addColumn("spent_microcents", integer, required)
    .addColumn("state", "text", required)
    .addColumn("updated_at", integer, required)
    .execute();

  await keyedTable("verification_pairs")
    .addColumn("request_id", "text", required)
    .addColumn("pair_id", "text", required)
    .addColumn("position", integer, required)
    .addColumn("kind", "text", oneOf("kind", ["candidate", "control"]))
    .addColumn("session_id", "text")
    .addColumn("category", "text", required)
    .addColumn("score", real, required)
    .addColumn("grader", "text", required)
    .addColumn("is_counted", integer, required)
    .addColumn("prod", "text", required)
    .addColumn("candidate", "text", required)
    .addColumn("judge_microcents", integer, required)
    .addColumn("created_at", integer, required)
    .addPrimaryKeyConstraint("verification_pairs_pkey", ["request_id", "pair_id"])
    .execute();
  await uniqueIndex("verification_pairs_in_order", "verification_pairs", [
    "request_id",
    "position",
  ]).execute();

  await table("verdicts")
    .addColumn("id", "text", key)
    .addColumn("org_id", "text", ofOrganization)
    .addColumn("mode", "text", eitherMode)
    .addColumn("request_id", "text", required)
    .addColumn("trial_id", "text", required)
    .addColumn("agent_id", "text")
    .addColumn("agent_key", "text")
    .addColumn("prod_model", "text", required)
    .addColumn("candidate_model", "text", required)
    .addColumn("task_category", "text")
    .addColumn("verdict", "text", required)
    .addColumn("evidence_mode", "text", required)
    .addColumn("result", "text", required)
    .addColumn("judge_model", "text")
    .addColumn("concluded_at", integer, required)
    .addColumn("expires_at", integer, required)
    .addColumn("invalidated_at", integer)
    .addColumn("invalid_reason", "text")
    .execute();
  await index("verdicts_by_time", "verdicts", ["org_id", "mode", "concluded_at"]).execute();

  // Append-only: the balance is their difference.
  await table("verification_grants")
    .addColumn("id", "text", key)
    .addColumn("org_id", "text", ofOrganization)
    .addColumn("mode", "text", eitherMode)
    .addColumn("count", integer, required)
    .addColumn("reference", "text", required)
    .addColumn("granted_by", "text", required)
    .addColumn("created_at", integer, required)
    .execute();
  await uniqueIndex("verification_grants_by_reference", "verification_grants", [
    "org_id",
    "mode",
    "reference",
  ]).execute();
  await table("verification_charges")
    .addColumn("request_id", "text", key)
    .addColumn("org_id", "text", ofOrganization)
    .addColumn("mode", "text", eitherMode)
    .addColumn("created_at", integer, required)
    .execute();
  await index("verification_charges_of_scope", "verification_charges", ["org_id", "mode"]).execute();
};
