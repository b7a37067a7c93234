import { alertSeverities, alertTypes } from "@tollgate/core/alerts/alert-types";
import { thresholdActions, thresholdMetrics } from "@tollgate/core/alerts/threshold";
import { enforcementModes } from "@tollgate/core/budgets/budget";
import { budgetPeriods } from "@tollgate/core/budgets/period";
import { auditActors, auditClients } from "@tollgate/core/contract/audit";
import { checkoutProviders } from "@tollgate/core/contract/checkout";
import { demoSteps } from "@tollgate/core/contract/demo";
import { roles } from "@tollgate/core/contract/operation";
import { outcomeSources } from "@tollgate/core/contract/outcomes";
import { deliveryStatuses } from "@tollgate/core/contract/webhooks";
import {
  actuationChanges,
  actuationTypes,
  authorities,
  blockedReasons,
  proposalActions,
  proposalSources,
  proposalStatuses,
  rollbackReasons,
} from "@tollgate/core/decisions/vocabulary";
import { modes, pairKinds, taskCategories } from "@tollgate/core/event";
import { arms, endReasons, experimentStatuses, primaryMetrics } from "@tollgate/core/experiments/experiment";
import { tierNames } from "@tollgate/core/limits/tiers";
import { predictionStatuses, predictionTypes, trendDirections } from "@tollgate/core/predictions/prediction";
import { providerIds } from "@tollgate/core/provider-id";
import { optimizationTypes } from "@tollgate/core/suggestions/suggestion-types";
import { graders } from "@tollgate/core/verification/grading/grade";
import {
  evidenceModes,
  requestEndReasons,
  requestStatuses,
  trialStatuses,
  verdictNames,
} from "@tollgate/core/verification/vocabulary";
import type { Kysely, Selectable, Transaction } from "kysely";
import { type Column, eachOf, integer, oneOf, orNull, real, text, withDefault } from "../engine/columns.ts";
import { costKindColumns } from "./cost-kind-columns.ts";
import { histogramColumns } from "./latency-histogram.ts";
import { outputColumns } from "./output-histogram.ts";
import { peakColumns, sumColumns } from "./profile-columns.ts";

const organizationStatuses = ["active", "inactive", "suspended"] as const;

const totals = {
  calls: integer,
  errors: integer,
  input_tokens: integer,
  output_tokens: integer,
  cost_microcents: integer,
  unpriced_calls: withDefault(integer),
};

const subject = { id: withDefault(integer), scope: integer, ...totals, first_at: integer, last_at: integer };

/** `h00` to `h31` count calls by latency, see `latency-histogram.ts`. */
const rollup = {
  scope: integer,
  agent: integer,
  model: integer,
  ...totals,
  latency_sum_ms: integer,
  ...eachOf(histogramColumns, integer),
  ...eachOf(costKindColumns, withDefault(integer)),
};

/** Sums of one config version, API key or customer. */
const subjectSums = { scope: integer, kind: integer, subject: integer, ...totals, unpriced_calls: integer };

/**
 * The control plane's tables, the same on SQLite and PostgreSQL; `schema.test.ts` compares them with what the
 * migrations create. Times are epoch milliseconds, amounts integers, JSON is text and booleans are 1 or 0, so nothing
 * depends on an engine's types. User configuration comes first, then data derived from the ledger.
 */
export const tables = {
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
  },
  /** The organization that a person has switched a session of theirs to. */
  session_organizations: { session_id: text, user_id: text, org_id: text, switched_at: integer },
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
  alerts: {
    id: text,
    org_id: text,
    mode: oneOf(modes),
    /** Rule, subject and period: each combination fires once. */
    alert_key: text,
    type: oneOf(alertTypes),
    severity: oneOf(alertSeverities),
    message: text,
    metadata: text,
    agent_id: orNull(text),
    triggered_at: integer,
    read_at: orNull(integer),
    /** Rule and subject without the period: while one alert is open, the same one is not sent again. */
    rule_key: withDefault(text),
    /** When the condition ended. */
    resolved_at: orNull(integer),
    /** Its sequence number on the live channel; null until assigned. */
    live_seq: orNull(integer),
  },
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
  predictions: {
    id: text,
    org_id: text,
    mode: oneOf(modes),
    /** Type and subject: at most one unresolved prediction for each. */
    prediction_key: text,
    agent_id: orNull(text),
    prediction_type: oneOf(predictionTypes),
    severity: oneOf(alertSeverities),
    confidence: real,
    predicted_breach_at: orNull(integer),
    current_value: real,
    threshold_value: real,
    trend_direction: oneOf(trendDirections),
    message: text,
    evidence: text,
    status: oneOf(predictionStatuses),
    created_at: integer,
    updated_at: integer,
    acknowledged_at: orNull(integer),
    resolved_at: orNull(integer),
  },
  /** Applied to an agent's calls by the gateway until undone. At most one per type and agent is in force. */
  optimizations: {
    id: text,
    org_id: text,
    mode: oneOf(modes),
    agent_id: text,
    agent_key: text,
    /** model_switch `{model}`, token_guardrails `{max_output_tokens}`, prompt_caching `{}`. */
    optimization_type: oneOf(optimizationTypes),
    payload: text,
    /** Origin: `suggestion`, or `experiment:<id>`. */
    source: text,
    applied_by: text,
    applied_at: integer,
    undone_at: orNull(integer),
  },
  /** The effect of an optimization, by hour, up to a follower's cursor. */
  optimization_effects: {
    optimization_id: text,
    /** Its first millisecond. */
    hour: integer,
    /** The requested model, without the name of its provider. */
    asked_model: text,
    /** Calls that it changed, or could have changed. */
    calls: integer,
    /** Of those, the calls whose saving is known. */
    priced_calls: integer,
    saved_microcents: integer,
  },
  /** A recent model switch that the breaker watches, from its first call on. */
  switch_watches: {
    optimization_id: text,
    /** Calls since the switch. */
    calls: integer,
    /** JSON of `core/breaker/switch-watch.ts`. */
    watch: text,
  },
  switch_watch_sessions: {
    optimization_id: text,
    session_id: text,
    calls: integer,
    errors: integer,
    slow_calls: integer,
  },
  /** Sends a share of an agent's calls to another model. At most one per agent is running or paused. */
  experiments: {
    id: text,
    org_id: text,
    mode: oneOf(modes),
    agent_id: text,
    agent_key: text,
    name: text,
    /** The agent's most used model at the start; null: it had made no calls. */
    control_model: orNull(text),
    treatment_model: text,
    traffic_pct: integer,
    primary_metric: oneOf(primaryMetrics),
    max_duration_days: integer,
    auto_promote: integer,
    status: oneOf(experimentStatuses),
    created_at: integer,
    ends_at: integer,
    ended_at: orNull(integer),
    end_reason: orNull(oneOf(endReasons)),
    winner: orNull(oneOf(arms)),
    promoted: withDefault(integer),
    /** Recorded when it ended. */
    results: orNull(text),
    updated_at: integer,
  },
  experiment_sessions: {
    experiment_id: text,
    arm: oneOf(arms),
    session_id: text,
    calls: integer,
    errors: integer,
    priced_calls: integer,
    cost_microcents: integer,
    /** Calls after the threshold was fixed, and how many of them were slower. */
    tested_calls: integer,
    slow_calls: integer,
  },
  /** By millisecond, so that percentiles are exact. */
  experiment_latencies: { experiment_id: text, arm: oneOf(arms), latency_ms: integer, calls: integer },
  /** JSON of `core/experiments/tally.ts`. */
  experiment_tallies: { experiment_id: text, tally: text },
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
  /** Verification settings; `quick` and `standard` are built in and have no row. */
  verification_policies: {
    id: text,
    org_id: text,
    name: text,
    margin: real,
    max_pairs: integer,
    max_spend_microcents: integer,
    share_pct: integer,
    /** null: the strongest model that is not being compared. */
    judge_model: orNull(text),
    evidence_mode: oneOf(evidenceModes),
    created_at: integer,
    updated_at: integer,
  },
  /** A requested verification. The gateway samples calls for those that are collecting. */
  verification_requests: {
    id: text,
    org_id: text,
    mode: oneOf(modes),
    /** Both null: every agent that calls the production model. */
    agent_id: orNull(text),
    agent_key: orNull(text),
    prod_provider: text,
    prod_model: text,
    candidate_provider: text,
    candidate_model: text,
    /** Both null if there is no judge: the evidence is an experiment, or was captured. */
    judge_provider: orNull(text),
    judge_model: orNull(text),
    policy_id: text,
    evidence_mode: oneOf(evidenceModes),
    share_pct: integer,
    max_pairs: integer,
    max_spend_microcents: integer,
    /** Determines which calls are sampled, and which pairs are controls. */
    seed: text,
    status: oneOf(requestStatuses),
    trial_id: text,
    verdict_id: orNull(text),
    end_reason: orNull(oneOf(requestEndReasons)),
    created_by: text,
    created_at: integer,
    expires_at: integer,
    ended_at: orNull(integer),
  },
  /** Registered before the first pair. `plan` is canonical JSON, and never changes. */
  verification_trials: {
    id: text,
    org_id: text,
    mode: oneOf(modes),
    request_id: text,
    plan: text,
    plan_hash: text,
    status: oneOf(trialStatuses),
    void_reason: orNull(text),
    verdict_id: orNull(text),
    registered_at: integer,
    ended_at: orNull(integer),
  },
  verification_progress: {
    request_id: text,
    pairs: integer,
    controls: integer,
    /** Cost of all shadow and judge calls, graded or not. */
    spent_microcents: integer,
    /** JSON: the running state of the trial. */
    state: text,
    updated_at: integer,
  },
  /** The numbers of a graded pair. Neither request nor answers are stored anywhere. */
  verification_pairs: {
    request_id: text,
    /** The production call's event, or the sender's id of a captured pair. */
    pair_id: text,
    /** From 1, in ledger order. */
    position: integer,
    kind: oneOf(pairKinds),
    session_id: orNull(text),
    category: oneOf(taskCategories),
    score: real,
    grader: oneOf(graders),
    /** 0: it came after the end, or after its session was counted. */
    is_counted: integer,
    /** JSON: status, cost, latency, tokens and served name of each of the two calls. */
    prod: text,
    candidate: text,
    judge_microcents: integer,
    created_at: integer,
  },
  verdicts: {
    id: text,
    org_id: text,
    mode: oneOf(modes),
    request_id: text,
    trial_id: text,
    agent_id: orNull(text),
    agent_key: orNull(text),
    prod_model: text,
    candidate_model: text,
    /** null: all categories together, which decides. */
    task_category: orNull(oneOf(taskCategories)),
    verdict: oneOf(verdictNames),
    evidence_mode: oneOf(evidenceModes),
    /** JSON: `verdictResult` of the contract. */
    result: text,
    judge_model: orNull(text),
    concluded_at: integer,
    expires_at: integer,
    /** Before it expires: a model has changed, or the switch was undone. */
    invalidated_at: orNull(integer),
    invalid_reason: orNull(text),
  },
  /** Append-only. The balance is the sum of grants minus the number of charges. */
  verification_grants: {
    id: text,
    org_id: text,
    mode: oneOf(modes),
    count: integer,
    /** A reference can grant only once. */
    reference: text,
    granted_by: text,
    created_at: integer,
  },
  verification_charges: { request_id: text, org_id: text, mode: oneOf(modes), created_at: integer },
  /** A purchase of verifications. It becomes a grant once it is paid for and has an organization, in either order. */
  checkouts: {
    /** Identifies its page, which needs no sign-in, so it must not be guessable. */
    id: text,
    /** null: bought without a key, and not claimed yet. */
    org_id: orNull(text),
    mode: oneOf(modes),
    provider: oneOf(checkoutProviders),
    /** null: the operator sets the price. */
    unit_price_cents: orNull(integer),
    callback_url: orNull(text),
    /** null: no claim is needed. */
    claim_digest: orNull(text),
    opened_by: text,
    claimed_by: orNull(text),
    paid_count: orNull(integer),
    /** The grant's reference. */
    payment_reference: orNull(text),
    paid_at: orNull(integer),
    created_at: integer,
    expires_at: integer,
  },
  /** Where a checkout of the organization may redirect to, besides our own pages. */
  redirect_origins: { org_id: text, origin: text },
  /** Changes that affect the gateway, each written in the change's own transaction. */
  actuations: {
    id: text,
    org_id: text,
    mode: oneOf(modes),
    /** Both null: the whole organization. */
    agent_id: orNull(text),
    agent_key: orNull(text),
    action_type: oneOf(actuationTypes),
    change: oneOf(actuationChanges),
    /** The optimization, budget, experiment or agent. */
    subject_id: text,
    authority: oneOf(authorities),
    actor: text,
    asked_at: integer,
    applied_at: integer,
    /** When the first call under the change was admitted; null: unknown. */
    first_obeyed_at: orNull(integer),
    rolled_back_at: orNull(integer),
    rollback_reason: orNull(oneOf(rollbackReasons)),
    rolled_back_by: orNull(text),
    acknowledged_at: orNull(integer),
    acknowledged_by: orNull(text),
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
  /** Items of the decision queue that were snoozed or need no change. The queue itself is derived. */
  queue_marks: {
    org_id: text,
    mode: oneOf(modes),
    item_id: text,
    snoozed_until: orNull(integer),
    acknowledged_at: orNull(integer),
    marked_by: text,
    marked_at: integer,
  },
  /** Changes that suggestions, leak checks and verdicts propose; one per possible change. */
  proposals: {
    id: text,
    org_id: text,
    mode: oneOf(modes),
    /** Its subject: action, agent, and the model or the advice. */
    proposal_key: text,
    source: oneOf(proposalSources),
    source_id: text,
    /** null: the whole organization. */
    agent_id: orNull(text),
    action_type: oneOf(proposalActions),
    status: oneOf(proposalStatuses),
    blocked_reason: orNull(oneOf(blockedReasons)),
    /** JSON: an envelope, in microcents per month. */
    impact: text,
    /** JSON: the change of the gateway's configuration. */
    payload: text,
    decided_by: orNull(text),
    decided_at: orNull(integer),
    created_at: integer,
    updated_at: integer,
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
  /** An outgoing message to a webhook or over an alert channel, retried until it arrives. */
  deliveries: {
    /** The id that receivers see (`webhook-id`), the same for every attempt. Sorts by time. */
    id: text,
    org_id: text,
    mode: oneOf(modes),
    channel: oneOf(["webhook", "email", "slack", "telegram", "alert_webhook"]),
    /** Its lane: a webhook's id, or channel and organization. */
    receiver: text,
    kind: text,
    /** The event, outcome or alert that it reports. */
    subject_id: text,
    body: text,
    status: oneOf(deliveryStatuses),
    /** Attempts in this round; a replay starts a new round. */
    tries: integer,
    next_attempt_at: integer,
    /** In this round. */
    first_tried_at: orNull(integer),
    created_at: integer,
    finished_at: orNull(integer),
  },
  delivery_attempts: {
    delivery_id: text,
    /** Starts at 1 and continues over all rounds. */
    number: integer,
    started_at: integer,
    duration_ms: integer,
    http_status: orNull(integer),
    error: orNull(text),
    /** The beginning of the response. */
    answer: orNull(text),
  },
  outcomes: {
    id: text,
    org_id: text,
    mode: oneOf(modes),
    name: text,
    session_id: orNull(text),
    agent_id: orNull(text),
    event_id: orNull(text),
    outcome_type: orNull(text),
    source: oneOf(outcomeSources),
    success: orNull(integer),
    value_cents: orNull(integer),
    notes: orNull(text),
    metadata: text,
    confirmed_by: orNull(text),
    confirmed_at: orNull(integer),
    created_at: integer,
  },
  adjustments: {
    id: withDefault(integer),
    event_id: text,
    org_id: text,
    amount_microcents: integer,
    price_version: text,
    card: text,
    /** JSON: the cards of `additional_usage`, in its order. null: there was none, or it was not recorded yet. */
    additional_cards: orNull(text),
    created_at: integer,
  },

  /** `event_id` is null at the beginning of the ledger, and if an older version stored the position. */
  cursors: { reader: text, node: text, position: integer, event_id: orNull(text) },
  /** The ledger lost the events after `common_seq` and up to `lost_seq`, which had already been read. */
  rebuilds: {
    id: withDefault(integer),
    /** The cursors that did not match, separated by spaces. */
    readers: text,
    common_seq: integer,
    common_event_id: orNull(text),
    lost_seq: integer,
    /** The end of the ledger when the loss was detected; the rebuild is complete once it is reached. */
    until_seq: integer,
    noticed_at: integer,
    /** null: still running. */
    finished_at: orNull(integer),
  },
  /** A gateway of an installation on several machines. */
  nodes: {
    id: text,
    host: text,
    version: text,
    created_at: integer,
    last_seen_at: integer,
    /** The newest event of its own ledger, shipped or not. */
    newest_seq: integer,
    removed_at: orNull(integer),
  },
  /** The events of all nodes, in one order without gaps. */
  shared_events: {
    org_id: text,
    id: text,
    position: integer,
    node_id: text,
    node_seq: integer,
    created_at: integer,
    /** JSON. */
    event: text,
  },
  shared_agents: {
    org_id: text,
    mode: oneOf(modes),
    /** A JSON string. */
    agent_key: text,
    id: text,
    first_seen_at: integer,
    /** The end of the shared ledger when the agent was shipped. */
    position: integer,
  },
  shared_rate_cards: { version: text, card: text },
  shared_ledger_end: { position: integer },
  /** The part of a budget's limit that each node may use in a period. */
  budget_shares: {
    org_id: text,
    budget_id: text,
    since: integer,
    period: text,
    node_id: text,
    granted_microcents: integer,
    /** Time of its last request. */
    used_microcents: integer,
    /** 1: this node has the last part. */
    is_last: integer,
  },
  /** The part of a month's calls that each node may make. */
  call_shares: {
    org_id: text,
    month: text,
    node_id: text,
    granted_calls: integer,
    /** When it last asked. */
    used_calls: integer,
  },
  /** Agents that a node has registered, until their first event is shipped. */
  agent_slots: {
    org_id: text,
    mode: oneOf(modes),
    /** A JSON string. */
    agent_key: text,
    taken_at: integer,
  },
  scopes: { id: withDefault(integer), org_id: text, mode: oneOf(modes) },
  models: { id: withDefault(integer), provider: text, model: text },
  /** The read model's copy of the ledger's agents, with their activity. */
  agents: {
    id: withDefault(integer),
    scope: integer,
    agent_key: text,
    /** The public id, a UUID. */
    agent_id: text,
    first_seen_at: integer,
    last_call_at: orNull(integer),
  },
  sessions: { ...subject, session_id: text },
  customers: { ...subject, customer_id: text },
  config_versions: { ...subject, config_version: text },
  /** Calls by API key; `key_id` is the id in `api_keys`. */
  used_keys: { ...subject, key_id: text },
  /** Agent 0 means all agents, model 0 all models. */
  rollup_hours: { ...rollup, hour: integer },
  rollup_days: { ...rollup, day: integer },
  /** Customer 0 means calls without one. */
  customer_days: { ...totals, scope: integer, day: integer, customer: integer },
  /** `kind` is one of `subjectKinds`, `subject` an id in its table or 0: calls without one. */
  subject_hours: { ...subjectSums, hour: integer },
  subject_days: { ...subjectSums, day: integer },
  /** One row per event, for lists and for totals at the edge of a window. The ledger has the remaining fields. */
  facts: {
    seq: integer,
    scope: integer,
    created_at: integer,
    agent: integer,
    model: integer,
    /** One of `statusCodes`. */
    status: integer,
    session: orNull(integer),
    customer: orNull(integer),
    config_version: orNull(integer),
    /** In `used_keys`. */
    used_key: orNull(integer),
    latency_ms: integer,
    input_tokens: integer,
    output_tokens: integer,
    /** The ledger's cost plus adjustments. */
    cost_microcents: integer,
    /** 1: the cost is unknown. 0 again once rerated. */
    unpriced: withDefault(integer),
    ...eachOf(costKindColumns, withDefault(integer)),
    /** One of `sourceCodes`. */
    source: withDefault(integer),
  },
  /** Ingested events by the sender's id. */
  external_ids: { scope: integer, external_id: text, seq: integer },
  /** `o00` to `o18` count calls by output tokens, see `output-histogram.ts`. */
  profile_days: {
    scope: integer,
    day: integer,
    agent: integer,
    model: integer,
    ...eachOf([...sumColumns, ...peakColumns, ...outputColumns], integer),
  },
  /** The first prompt of each agent in a session. */
  profile_sessions: { session_id: text, scope: integer, agent: integer, first_input_tokens: integer },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Column>>>>;

type Tables = typeof tables;
export type TableName = keyof Tables;

export type ControlSchema = {
  [T in TableName]: { [C in keyof Tables[T]]: Tables[T][C] extends Column<infer Type> ? Type : never };
};

/** The control plane's database, or a transaction on it. */
export type ControlDb = Kysely<ControlSchema>;
export type ControlTransaction = Transaction<ControlSchema>;

/** The enum values of a column; `never` if it is free text or not text. */
export type EnumValue<T extends TableName, C> = C extends keyof Tables[T]
  ? Tables[T][C] extends Column<unknown, infer Value>
    ? Value
    : never
  : never;

/** A row as returned by `fromRow`: enum columns have their narrow types. */
export type Parsed<T extends TableName, Row> = {
  [C in keyof Row]: [EnumValue<T, C>] extends [never] ? Row[C] : EnumValue<T, C> | Extract<Row[C], null>;
};

/** A row as the database returns it. */
export type StoredRow<T extends TableName> = Selectable<ControlSchema[T]>;

export type TableRow<T extends TableName> = Parsed<T, StoredRow<T>>;
