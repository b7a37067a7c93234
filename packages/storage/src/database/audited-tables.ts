import type { TableName } from "./schema.ts";

interface AuditedTable {
  /** The columns that identify a row, in the audit log too. */
  readonly key: readonly string[];
  /** Secrets, digests and long texts: a change is recorded, its content is not. `a.b` is a field of a JSON column. */
  readonly hidden: readonly string[];
}

const byId: AuditedTable = { key: ["id"], hidden: [] };
const hiding = (...hidden: readonly string[]): AuditedTable => ({ ...byId, hidden });

/** The configuration tables: rows that an operation or a command changes are recorded before and after. */
export const auditedTables: { readonly [table in TableName]?: AuditedTable } = {
  organizations: hiding("hash_salt"),
  api_keys: hiding("digest"),
  members: hiding("invitation"),
  agent_settings: { key: ["agent_id"], hidden: [] },
  budgets: byId,
  webhooks: hiding("secret", "previous_secret"),
  alert_preferences: { key: ["org_id"], hidden: ["preferences.slack_webhook", "preferences.webhook_url"] },
  alert_thresholds: byId,
  alert_webhook_secrets: { key: ["org_id"], hidden: ["secret", "previous_secret"] },
  alerts: hiding("message", "metadata"),
  predictions: hiding("message", "evidence"),
  optimizations: byId,
  experiments: hiding("results"),
  price_overrides: byId,
  verification_policies: byId,
  verification_requests: hiding("seed"),
  verification_grants: byId,
  redirect_origins: { key: ["org_id", "origin"], hidden: [] },
  report_snapshots: hiding("token_digest", "snapshot"),
  queue_marks: { key: ["org_id", "mode", "item_id"], hidden: [] },
  proposals: byId,
};
