import { sql } from "kysely";
import {
  type ControlMigration,
  eitherMode,
  key,
  type MigrationTools,
  numbered,
  ofOrganization,
  oneOf,
  required,
  zero,
} from "../control-migration.ts";

const totals = ["calls", "errors", "input_tokens", "output_tokens", "cost_microcents"] as const;

export const up: ControlMigration = async tools => {
  await createDecisions(tools);
  await createReadModel(tools);
};

/** User configuration. The gateway reads the tables with a counted revision. */
async function createDecisions({ schema, integer, table, index, uniqueIndex, countChanges }: MigrationTools) {
  await schema.alterTable("organizations").addColumn("optimization_model_v3", integer, zero).execute();
  await schema.alterTable("api_keys").addColumn("name", "text").execute();

  await table("members")
    .addColumn("id", "text", key)
    .addColumn("org_id", "text", ofOrganization)
    .addColumn("user_id", "text")
    .addColumn("email", "text", required)
    .addColumn("role", "text", oneOf("role", ["owner", "admin", "viewer"]))
    .addColumn("status", "text", oneOf("status", ["active", "invited"]))
    .addColumn("created_at", integer, required)
    .execute();
  await uniqueIndex("members_by_email", "members", ["org_id", "email"]).execute();
  await index("members_by_user", "members", ["user_id"]).execute();

  await table("agent_settings")
    .addColumn("agent_id", "text", key)
    .addColumn("org_id", "text", ofOrganization)
    .addColumn("mode", "text", eitherMode)
    .addColumn("agent_key", "text", required)
    .addColumn("name", "text")
    .addColumn("metadata", "text", required)
    .addColumn("archived_at", integer)
    .addColumn("paused_at", integer)
    .addColumn("updated_at", integer, required)
    .execute();
  await uniqueIndex("agent_settings_by_agent", "agent_settings", ["org_id", "mode", "agent_key"]).execute();
  await countChanges("agent_settings", "config_revision");

  await table("budgets")
    .addColumn("id", "text", key)
    .addColumn("org_id", "text", ofOrganization)
    .addColumn("mode", "text", eitherMode)
    .addColumn("agent_id", "text")
    .addColumn("agent_key", "text")
    .addColumn("period", "text", oneOf("period", ["daily", "monthly"]))
    .addColumn("limit_microcents", integer, column => column.notNull().check(sql`limit_microcents > 0`))
    .addColumn("warning_pct", integer, required)
    .addColumn(
      "enforcement_mode",
      "text",
      oneOf("enforcement_mode", ["alert_only", "soft_block", "hard_block"]),
    )
    .addColumn("strict", integer, required)
    .addColumn("status", "text", oneOf("status", ["active", "paused"]))
    .addColumn("since", integer, required)
    .addColumn("created_at", integer, required)
    .addColumn("updated_at", integer, required)
    .execute();
  await index("budgets_by_organization", "budgets", ["org_id", "mode"]).execute();
  await countChanges("budgets", "config_revision");

  await table("webhooks")
    .addColumn("id", "text", key)
    .addColumn("org_id", "text", ofOrganization)
    .addColumn("mode", "text", eitherMode)
    .addColumn("url", "text", required)
    .addColumn("events", "text", required)
    .addColumn("secret", "text", required)
    .addColumn("created_at", integer, required)
    .execute();
  await index("webhooks_by_organization", "webhooks", ["org_id", "mode"]).execute();

  await table("alert_preferences")
    .addColumn("org_id", "text", column => column.primaryKey().references("organizations.id"))
    .addColumn("preferences", "text", required)
    .addColumn("updated_at", integer, required)
    .execute();

  await table("alerts")
    .addColumn("id", "text", key)
    .addColumn("org_id", "text", ofOrganization)
    .addColumn("mode", "text", eitherMode)
    .addColumn("alert_key", "text", required)
    .addColumn("type", "text", required)
    .addColumn("severity", "text", required)
    .addColumn("message", "text", required)
    .addColumn("metadata", "text", required)
    .addColumn("agent_id", "text")
    .addColumn("triggered_at", integer, required)
    .addColumn("read_at", integer)
    .execute();
  await uniqueIndex("alerts_by_key", "alerts", ["org_id", "mode", "alert_key"]).execute();
  await index("alerts_by_time", "alerts", ["org_id", "mode", "triggered_at"]).execute();

  await table("outcomes")
    .addColumn("id", "text", key)
    .addColumn("org_id", "text", ofOrganization)
    .addColumn("mode", "text", eitherMode)
    .addColumn("name", "text", required)
    .addColumn("session_id", "text")
    .addColumn("agent_id", "text")
    .addColumn("event_id", "text")
    .addColumn("outcome_type", "text")
    .addColumn("source", "text", required)
    .addColumn("success", integer)
    .addColumn("value_cents", integer)
    .addColumn("notes", "text")
    .addColumn("metadata", "text", required)
    .addColumn("confirmed_by", "text")
    .addColumn("confirmed_at", integer)
    .addColumn("created_at", integer, required)
    .execute();
  await index("outcomes_by_time", "outcomes", ["org_id", "mode", "created_at"]).execute();
  await index("outcomes_by_session", "outcomes", ["org_id", "mode", "session_id"])
    .where("session_id", "is not", null)
    .execute();
}

/** Derived from the ledger, up to a cursor. */
async function createReadModel({
  integer,
  identity,
  table,
  keyedTable,
  counts,
  index,
  uniqueIndex,
}: MigrationTools) {
  await keyedTable("cursors")
    .addColumn("name", "text", key)
    .addColumn("position", integer, required)
    .execute();

  await table("scopes")
    .addColumn("id", integer, identity)
    .addColumn("org_id", "text", required)
    .addColumn("mode", "text", required)
    .execute();
  await uniqueIndex("scopes_by_organization", "scopes", ["org_id", "mode"]).execute();

  await table("models")
    .addColumn("id", integer, identity)
    .addColumn("provider", "text", required)
    .addColumn("model", "text", required)
    .execute();
  await uniqueIndex("models_by_name", "models", ["provider", "model"]).execute();

  await table("agents")
    .addColumn("id", integer, identity)
    .addColumn("scope", integer, required)
    .addColumn("agent_key", "text", required)
    .addColumn("agent_id", "text", required)
    .addColumn("first_seen_at", integer, required)
    .addColumn("last_call_at", integer)
    .execute();
  await uniqueIndex("agents_by_key", "agents", ["scope", "agent_key"]).execute();
  await index("agents_by_public_id", "agents", ["agent_id"]).execute();

  await table("sessions")
    .addColumn("id", integer, identity)
    .addColumn("scope", integer, required)
    .addColumn("session_id", "text", required)
    .$call(counts(totals))
    .addColumn("first_at", integer, required)
    .addColumn("last_at", integer, required)
    .execute();
  await uniqueIndex("sessions_by_key", "sessions", ["scope", "session_id"]).execute();
  await index("sessions_by_time", "sessions", ["scope", "last_at"]).execute();

  await table("customers")
    .addColumn("id", integer, identity)
    .addColumn("scope", integer, required)
    .addColumn("customer_id", "text", required)
    .$call(counts(totals))
    .addColumn("first_at", integer, required)
    .addColumn("last_at", integer, required)
    .execute();
  await uniqueIndex("customers_by_key", "customers", ["scope", "customer_id"]).execute();
  await index("customers_by_time", "customers", ["scope", "last_at"]).execute();

  await table("config_versions")
    .addColumn("id", integer, identity)
    .addColumn("scope", integer, required)
    .addColumn("config_version", "text", required)
    .$call(counts(totals))
    .addColumn("first_at", integer, required)
    .addColumn("last_at", integer, required)
    .execute();
  await uniqueIndex("config_versions_by_key", "config_versions", ["scope", "config_version"]).execute();
  await index("config_versions_by_time", "config_versions", ["scope", "last_at"]).execute();

  await keyedTable("rollup_hours")
    .addColumn("scope", integer, required)
    .addColumn("agent", integer, required)
    .addColumn("model", integer, required)
    .addColumn("hour", integer, required)
    .$call(counts(totals))
    .addColumn("latency_sum_ms", integer, required)
    .$call(counts(numbered("h", 32)))
    .addPrimaryKeyConstraint("rollup_hours_pkey", ["scope", "agent", "hour", "model"])
    .execute();
  await index("rollup_hours_by_agent", "rollup_hours", [
    "scope",
    "hour",
    "agent",
    ...totals,
    "latency_sum_ms",
  ])
    .where("model", "=", 0)
    .execute();

  await keyedTable("rollup_days")
    .addColumn("scope", integer, required)
    .addColumn("agent", integer, required)
    .addColumn("model", integer, required)
    .addColumn("day", integer, required)
    .$call(counts(totals))
    .addColumn("latency_sum_ms", integer, required)
    .$call(counts(numbered("h", 32)))
    .addPrimaryKeyConstraint("rollup_days_pkey", ["scope", "agent", "day", "model"])
    .execute();
  await index("rollup_days_by_agent", "rollup_days", ["scope", "day", "agent", ...totals, "latency_sum_ms"])
    .where("model", "=", 0)
    .execute();

  await keyedTable("customer_days")
    .addColumn("scope", integer, required)
    .addColumn("customer", integer, required)
    .addColumn("day", integer, required)
    .$call(counts(totals))
    .addPrimaryKeyConstraint("customer_days_pkey", ["scope", "customer", "day"])
    .execute();

  await table("facts")
    .addColumn("seq", integer, column => column.notNull().primaryKey())
    .addColumn("scope", integer, required)
    .addColumn("created_at", integer, required)
    .addColumn("agent", integer, required)
    .addColumn("model", integer, required)
    .addColumn("status", integer, required)
    .addColumn("session", integer)
    .addColumn("customer", integer)
    .addColumn("config_version", integer)
    .addColumn("latency_ms", integer, required)
    .addColumn("input_tokens", integer, required)
    .addColumn("output_tokens", integer, required)
    .addColumn("cost_microcents", integer, required)
    .execute();
  await index("facts_by_time", "facts", ["scope", "created_at"]).execute();
  await index("facts_by_agent", "facts", ["scope", "agent", "created_at"]).execute();
  await index("facts_by_model", "facts", ["scope", "model", "created_at"]).execute();
  // Most calls succeed: they are found by time alone.
  await index("facts_by_status", "facts", ["scope", "status", "created_at"])
    .where("status", ">", 0)
    .execute();
  // Errors are rare: without these, finding a page of them would scan all calls of an agent or model.
  await index("facts_by_agent_status", "facts", ["scope", "agent", "status", "created_at"])
    .where("status", ">", 0)
    .execute();
  await index("facts_by_model_status", "facts", ["scope", "model", "status", "created_at"])
    .where("status", ">", 0)
    .execute();
  await index("facts_by_agent_model", "facts", ["scope", "agent", "model", "created_at"]).execute();
  await index("facts_by_session", "facts", ["scope", "session", "created_at"])
    .where("session", "is not", null)
    .execute();
  await index("facts_by_customer", "facts", ["scope", "customer", "created_at"])
    .where("customer", "is not", null)
    .execute();
  await index("facts_by_config_version", "facts", ["scope", "config_version", "created_at"])
    .where("config_version", "is not", null)
    .execute();

  // Ingested events by their sender's id.
  await keyedTable("external_ids")
    .addColumn("scope", integer, required)
    .addColumn("external_id", "text", required)
    .addColumn("seq", integer, required)
    .addPrimaryKeyConstraint("external_ids_pkey", ["scope", "external_id"])
    .execute();
}
