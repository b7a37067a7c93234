import { thresholdActions, thresholdMetrics } from "@tollgate/core/alerts/threshold";
import { enforcementModes } from "@tollgate/core/budgets/budget";
import { budgetPeriods } from "@tollgate/core/budgets/period";
import { auditActors, auditClients } from "@tollgate/core/contract/audit";
import { demoSteps } from "@tollgate/core/contract/demo";
import { roles } from "@tollgate/core/contract/operation";
import { modes } from "@tollgate/core/event";
import { tierNames } from "@tollgate/core/limits/tiers";
import { providerIds } from "@tollgate/core/provider-id";
import {
  integer,
  oneOf,
  orNull,
  real,
  type TableDeclarations,
  text,
  withDefault,
} from "../../engine/columns.ts";

const organizationStatuses = ["active", "inactive", "suspended"] as const;

/** What people configure, and the log of their changes. */
export const configurationTables = {
  config_revision: { revision: integer },
  alert_revision: { revision: integer },
  organizations: {
    id: text,
    name: text,
    tier: oneOf(tierNames),
    status: oneOf(organizationStatuses),
    burst_per_minute: orNull(integer),
    monthly_calls: orNull(integer),
    hash_salt: text,
    optimization_model_v3: withDefault(integer),
    created_at: integer,
  },
  api_keys: {
    id: text,
    org_id: text,
    digest: text,
    last_four: text,
    mode: oneOf(modes),
    scope: oneOf(["read", "write"]),
    /** The role of its creator: operations that require a role check this one. */
    role: withDefault(oneOf(roles)),
    name: orNull(text),
    /** Displayed: an e-mail address or `cli`; null: created before this was recorded. */
    created_by: orNull(text),
    /** The member whose role limits the key; null: no limit. */
    created_by_user: orNull(text),
    created_at: integer,
    revoked_at: orNull(integer),
  },
  /** `user_id` is better-auth's; null for an invited person without an account. */
  members: {
    id: text,
    org_id: text,
    user_id: orNull(text),
    email: text,
    role: oneOf(roles),
    status: oneOf(["active", "invited"]),
    /** Digest of the code that accepts the invitation; null once used, and if it is accepted by signing in. */
    invitation: orNull(text),
    created_at: integer,
    /** Sessions that began before it do not count for this membership. */
    signed_out_at: orNull(integer),
  },
  /** The organization that a person has switched a session of theirs to. */
  session_organizations: { session_id: text, user_id: text, org_id: text, switched_at: integer },
  /** Where a checkout of the organization may redirect to, besides our own pages. */
  redirect_origins: { org_id: text, origin: text },
  /** User-defined attributes of an agent. The agent itself registers in the ledger with its first call. */
  agent_settings: {
    agent_id: text,
    org_id: text,
    mode: oneOf(modes),
    agent_key: text,
    name: orNull(text),
    metadata: text,
    archived_at: orNull(integer),
    paused_at: orNull(integer),
    /** 1: the breaker undoes none of its switches. */
    breaker_off: withDefault(integer),
    updated_at: integer,
  },
  /** Prices that an organization has set for itself; of one model, the newest counts. */
  price_overrides: {
    id: text,
    org_id: text,
    provider: oneOf(providerIds),
    model: text,
    /** JSON of `statedPrices`. */
    prices: text,
    effective_from: integer,
    created_by: text,
  },
  budgets: {
    id: text,
    org_id: text,
    mode: oneOf(modes),
    /** Its agent, key or customer; all null: the whole organization. */
    agent_id: orNull(text),
    agent_key: orNull(text),
    key_id: orNull(text),
    customer_id: orNull(text),
    period: oneOf(budgetPeriods),
    limit_microcents: integer,
    warning_pct: integer,
    /** 1: the budget has no warning threshold of its own and follows the alert preferences. */
    warning_is_default: withDefault(integer),
    enforcement_mode: oneOf(enforcementModes),
    strict: integer,
    allow_unpriced: withDefault(integer),
    status: oneOf(["active", "paused"]),
    /** Start of the counted spend: the creation or the last reset. */
    since: integer,
    created_at: integer,
    updated_at: integer,
  },
  webhooks: {
    id: text,
    org_id: text,
    mode: oneOf(modes),
    url: text,
    events: text,
    secret: text,
    created_at: integer,
    updated_at: withDefault(integer),
    /** The ledger's newest seq when it was registered: nothing older is sent. */
    since_seq: withDefault(integer),
    /** Also signs until it expires, so that a receiver can switch secrets without a gap. */
    previous_secret: orNull(text),
    previous_secret_until: orNull(integer),
    /** The first failure after the last success, or after two days without an attempt. */
    failing_since: orNull(integer),
    last_failed_at: orNull(integer),
    /** A disabled webhook receives nothing until it is enabled again. */
    disabled_at: orNull(integer),
    disabled_reason: orNull(text),
  },
  alert_preferences: { org_id: text, preferences: text, updated_at: integer },
  alert_thresholds: {
    id: text,
    org_id: text,
    mode: oneOf(modes),
    /** Both null: the whole organization. */
    agent_id: orNull(text),
    agent_key: orNull(text),
    metric: oneOf(thresholdMetrics),
    /** Cents, a decimal fraction, or milliseconds. */
    threshold_value: real,
    action: oneOf(thresholdActions),
    created_at: integer,
    updated_at: integer,
  },
  /** Signs the alert channel `webhook`; after a rotation the old secret signs too, until it expires. */
  alert_webhook_secrets: {
    org_id: text,
    secret: text,
    created_at: integer,
    previous_secret: orNull(text),
    previous_secret_until: orNull(integer),
  },
  /** What members, keys and commands changed; append-only by trigger. */
  audit_log: {
    id: text,
    org_id: text,
    mode: oneOf(modes),
    created_at: integer,
    actor_kind: oneOf(auditActors),
    /** An e-mail address, a key's id, or `cli`. */
    actor: text,
    session_id: orNull(text),
    ip: orNull(text),
    client: orNull(oneOf(auditClients)),
    /** An operation of the contract, or a command. */
    operation: text,
    /** The table and key of the first changed row. */
    object: orNull(text),
    object_id: orNull(text),
    /** JSON: changed columns of the changed rows, before and after. */
    changes: text,
    omitted_changes: integer,
  },
  /** A shared report as it was when it was created. Only the digest of its token is stored. */
  report_snapshots: {
    id: text,
    org_id: text,
    mode: oneOf(modes),
    title: text,
    token_digest: text,
    /** Canonical JSON; `snapshot_hash` is its SHA-256. */
    snapshot: text,
    snapshot_hash: text,
    methodology_version: text,
    created_by: text,
    created_at: integer,
    expires_at: integer,
    revoked_at: orNull(integer),
  },
  /** Sample data, in an organization of its own. At most one that is not removed per home organization. */
  demos: {
    org_id: text,
    /** The organization whose members requested it. */
    home_org_id: text,
    seed: integer,
    /** Past calls to report. */
    calls: integer,
    status: oneOf(["adding", "ready", "failed", "removed"]),
    /** null: not begun, or finished. */
    step: orNull(oneOf(demoSteps)),
    done_calls: integer,
    total_calls: integer,
    /** Why it failed. */
    error: orNull(text),
    /** The process that adds it; one whose heartbeat stopped has died. */
    runner: orNull(text),
    heartbeat_at: integer,
    created_by: text,
    created_at: integer,
    finished_at: orNull(integer),
  },
} as const satisfies TableDeclarations;
