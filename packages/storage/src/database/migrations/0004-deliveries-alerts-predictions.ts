import { sql } from "kysely";
import {
  type ControlMigration,
  eitherMode,
  key,
  ofOrganization,
  oneOf,
  required,
  zero,
} from "../control-migration.ts";

export const up: ControlMigration = async ({
  db,
  schema,
  integer,
  real,
  table,
  keyedTable,
  index,
  uniqueIndex,
  countChanges,
}) => {
  await schema.alterTable("budgets").addColumn("warning_is_default", integer, zero).execute();
  // A webhook is sent only what happened after it was registered.
  await schema.alterTable("webhooks").addColumn("since_seq", integer, zero).execute();
  await schema.alterTable("webhooks").addColumn("previous_secret", "text").execute();
  await schema.alterTable("webhooks").addColumn("previous_secret_until", integer).execute();
  await schema.alterTable("webhooks").addColumn("failing_since", integer).execute();
  await schema.alterTable("webhooks").addColumn("disabled_at", integer).execute();
  await schema.alterTable("webhooks").addColumn("disabled_reason", "text").execute();
  await schema.alterTable("webhooks").addColumn("updated_at", integer, zero).execute();

  await table("deliveries")
    .addColumn("id", "text", key)
    .addColumn("org_id", "text", ofOrganization)
    .addColumn("mode", "text", eitherMode)
    .addColumn(
      "channel",
      "text",
      oneOf("channel", ["webhook", "email", "slack", "telegram", "alert_webhook"]),
    )
    .addColumn("receiver", "text", required)
    .addColumn("kind", "text", required)
    .addColumn("subject_id", "text", required)
    .addColumn("body", "text", required)
    .addColumn("status", "text", oneOf("status", ["pending", "delivered", "failed", "cancelled"]))
    .addColumn("tries", integer, required)
    .addColumn("next_attempt_at", integer, required)
    .addColumn("created_at", integer, required)
    .addColumn("finished_at", integer)
    .execute();
  await index("deliveries_due", "deliveries", ["receiver", "next_attempt_at"])
    .where("status", "=", "pending")
    .execute();
  await index("deliveries_by_time", "deliveries", ["receiver", "created_at", "id"]).execute();
  // Failed deliveries are few among many, and the ones that users look for and replay.
  await index("deliveries_failed", "deliveries", ["receiver", "created_at", "id"])
    .where("status", "=", "failed")
    .execute();
  await index("deliveries_of_alert", "deliveries", ["subject_id"])
    .where("channel", "<>", "webhook")
    .execute();

  await keyedTable("delivery_attempts")
    .addColumn("delivery_id", "text", required)
    .addColumn("number", integer, required)
    .addColumn("started_at", integer, required)
    .addColumn("duration_ms", integer, required)
    .addColumn("http_status", integer)
    .addColumn("error", "text")
    .addColumn("answer", "text")
    .addPrimaryKeyConstraint("delivery_attempts_pkey", ["delivery_id", "number"])
    .execute();

  await schema
    .alterTable("alerts")
    .addColumn("rule_key", "text", column => column.notNull().defaultTo(""))
    .execute();
  await schema.alterTable("alerts").addColumn("resolved_at", integer).execute();
  await schema.alterTable("alerts").addColumn("live_seq", integer).execute();
  await sql`UPDATE alerts SET live_seq = 0`.execute(db);
  await index("alerts_open", "alerts", ["org_id", "mode", "rule_key"])
    .where("resolved_at", "is", null)
    .execute();
  await index("alerts_unpublished", "alerts", ["id"]).where("live_seq", "is", null).execute();
  await index("alerts_by_live_seq", "alerts", ["org_id", "mode", "live_seq"]).execute();

  await table("alert_thresholds")
    .addColumn("id", "text", key)
    .addColumn("org_id", "text", ofOrganization)
    .addColumn("mode", "text", eitherMode)
    .addColumn("agent_id", "text")
    .addColumn("agent_key", "text")
    .addColumn("metric", "text", oneOf("metric", ["daily_cost", "monthly_cost", "error_rate", "latency_p99"]))
    .addColumn("threshold_value", real, required)
    .addColumn("action", "text", oneOf("action", ["email", "webhook", "pause_agent"]))
    .addColumn("created_at", integer, required)
    .addColumn("updated_at", integer, required)
    .execute();
  await uniqueIndex("alert_thresholds_by_rule", "alert_thresholds", [
    "org_id",
    "mode",
    sql`coalesce(agent_id, '')`,
    "metric",
    "action",
  ]).execute();

  // The alert watcher reloads its settings when this number changes; the gateway does not need them.
  await table("alert_revision").addColumn("revision", integer, required).execute();
  await sql`INSERT INTO alert_revision VALUES (1)`.execute(db);
  await countChanges("alert_thresholds", "alert_revision");
  await countChanges("alert_preferences", "alert_revision");

  // Signs the messages of the alert channel `webhook`, so that receivers can verify the sender.
  await table("alert_webhook_secrets")
    .addColumn("org_id", "text", column => column.primaryKey().references("organizations.id"))
    .addColumn("secret", "text", required)
    .addColumn("created_at", integer, required)
    .addColumn("previous_secret", "text")
    .addColumn("previous_secret_until", integer)
    .execute();

  await table("predictions")
    .addColumn("id", "text", key)
    .addColumn("org_id", "text", ofOrganization)
    .addColumn("mode", "text", eitherMode)
    .addColumn("prediction_key", "text", required)
    .addColumn("agent_id", "text")
    .addColumn("prediction_type", "text", required)
    .addColumn("severity", "text", required)
    .addColumn("confidence", real, required)
    .addColumn("predicted_breach_at", integer)
    .addColumn("current_value", real, required)
    .addColumn("threshold_value", real, required)
    .addColumn("trend_direction", "text", required)
    .addColumn("message", "text", required)
    .addColumn("evidence", "text", required)
    .addColumn("status", "text", oneOf("status", ["active", "acknowledged", "resolved"]))
    .addColumn("created_at", integer, required)
    .addColumn("updated_at", integer, required)
    .addColumn("acknowledged_at", integer)
    .addColumn("resolved_at", integer)
    .execute();
  await uniqueIndex("predictions_open", "predictions", ["org_id", "mode", "prediction_key"])
    .where("status", "<>", "resolved")
    .execute();
  await index("predictions_by_time", "predictions", ["org_id", "mode", "created_at"]).execute();
};
