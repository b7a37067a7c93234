import { alertSeverities, alertTypes } from "@tollgate/core/alerts/alert-types";
import { thresholdActions, thresholdMetrics } from "@tollgate/core/alerts/threshold";
import { enforcementModes } from "@tollgate/core/budgets/budget";
import { budgetPeriods } from "@tollgate/core/budgets/period";
import { roles } from "@tollgate/core/contract/operation";
import { outcomeSources } from "@tollgate/core/contract/outcomes";
import { deliveryStatuses } from "@tollgate/core/contract/webhooks";
import { modes, pairKinds, taskCategories } from "@tollgate/core/event";
import { arms, endReasons, experimentStatuses, primaryMetrics } from "@tollgate/core/experiments/experiment";
import { tierNames } from "@tollgate/core/limits/tiers";
import { predictionStatuses, predictionTypes, trendDirections } from "@tollgate/core/predictions/prediction";
import { optimizationTypes } from "@tollgate/core/suggestions/suggestion-types";
import {
  evidenceModes,
  requestStatuses,
  trialStatuses,
  verdictNames,
} from "@tollgate/core/verification/vocabulary";
import type { Kysely, Selectable } from "kysely";
import { type Column, eachOf, integer, oneOf, orNull, real, text, withDefault } from "../engine/columns.ts";
import { histogramColumns } from "./latency-histogram.ts";
import { outputColumns } from "./output-histogram.ts";
import { peakColumns, sumColumns } from "./profile-columns.ts";

export const organizationStatuses = ["active", "inactive", "suspended"] as const;

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
};

/**
 * The control plane's tables, the same on SQLite and PostgreSQL: `schema.test.ts` compares them with what the migrations
 * make. Times are epoch milliseconds, amounts whole numbers, JSON is text, a yes or no is 1 or 0: nothing depends on
 * what an engine makes of a type. What people decide comes first, then what is derived from the ledger.
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
    /** What a member would need to be for what the key does: that of its maker. */
    role: withDefault(oneOf(roles)),
    name: orNull(text),
    /** Shown: an e-mail address or `cli`; null: made before it was recorded. */
    created_by: orNull(text),
    /** The member whose role bounds the key; null: nobody's does. */
    created_by_user: orNull(text),
    created_at: integer,
    revoked_at: orNull(integer),
  },
  /** `user_id` is better-auth's; null while somebody was invited who has no account yet. */
  members: {
    id: text,
    org_id: text,
    user_id: orNull(text),
    email: text,
    role: oneOf(roles),
    status: oneOf(["active", "invited"]),
    /** The digest of the code that accepts it; null once it was used, and where it is accepted by a sign-in. */
    invitation: orNull(text),
    created_at: integer,
  },
  /** What people say of an agent. The agent itself registers in the ledger with its first call. */
  agent_settings: {
    agent_id: text,
    org_id: text,
    mode: oneOf(modes),
    agent_key: text,
    name: orNull(text),
    metadata: text,
    archived_at: orNull(integer),
    paused_at: orNull(integer),
    updated_at: integer,
  },
  budgets: {
    id: text,
    org_id: text,
    mode: oneOf(modes),
    /** Both null: the whole organization. */
    agent_id: orNull(text),
    agent_key: orNull(text),
    period: oneOf(budgetPeriods),
    limit_microcents: integer,
    warning_pct: integer,
    /** 1: nobody said a line for this budget, so it is the preferences', and moves with them. */
    warning_is_default: withDefault(integer),
    enforcement_mode: oneOf(enforcementModes),
    strict: integer,
    allow_unpriced: withDefault(integer),
    status: oneOf(["active", "paused"]),
    /** Spend counts from here: the creation, or the last reset. */
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
    /** Signs beside the new one until then, so that a receiver can change over without a gap. */
    previous_secret: orNull(text),
    previous_secret_until: orNull(integer),
    /** The first failure after the last success, or after two days without a try. */
    failing_since: orNull(integer),
    last_failed_at: orNull(integer),
    /** A disabled webhook is sent nothing until somebody enables it. */
    disabled_at: orNull(integer),
    disabled_reason: orNull(text),
  },
  alert_preferences: { org_id: text, preferences: text, updated_at: integer },
  alerts: {
    id: text,
    org_id: text,
    mode: oneOf(modes),
    /** Rule, subject and period: an alert fires once for each. */
    alert_key: text,
    type: oneOf(alertTypes),
    severity: oneOf(alertSeverities),
    message: text,
    metadata: text,
    agent_id: orNull(text),
    triggered_at: integer,
    read_at: orNull(integer),
    /** Rule and subject, without the period: while one is open, the same is not told again. */
    rule_key: withDefault(text),
    /** When what it tells of was over. */
    resolved_at: orNull(integer),
    /** Its place among the live channel's messages; null until it was given one. */
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
  /** What the alerts' own webhook is signed with; after a rotation the old one signs too, until then. */
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
    /** Type and subject: one that is not resolved for each. */
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
  /** What was applied to an agent; the gateway obeys it until it is undone. One of a type in force for an agent. */
  optimizations: {
    id: text,
    org_id: text,
    mode: oneOf(modes),
    agent_id: text,
    agent_key: text,
    /** model_switch `{model}`, token_guardrails `{max_output_tokens}`, prompt_caching `{}`. */
    optimization_type: oneOf(optimizationTypes),
    payload: text,
    /** What it came from: `suggestion`, or `experiment:<id>`. */
    source: text,
    applied_by: text,
    applied_at: integer,
    undone_at: orNull(integer),
  },
  /** What an optimization has done since it was applied, as far as a follower's cursor says. */
  optimization_effects: {
    optimization_id: text,
    /** That it changed, or could have. */
    calls: integer,
    /** Of those, the ones whose saving is known. */
    priced_calls: integer,
    saved_microcents: integer,
  },
  /** A share of an agent's calls goes to another model. One that is running or paused for an agent. */
  experiments: {
    id: text,
    org_id: text,
    mode: oneOf(modes),
    agent_id: text,
    agent_key: text,
    name: text,
    /** What the agent used most when it began; null: it had called nothing yet. */
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
    /** As they stood when it ended. */
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
    /** Of those that came after the threshold was fixed: how many were slower. */
    tested_calls: integer,
    slow_calls: integer,
  },
  /** By millisecond, so that percentiles are exact. */
  experiment_latencies: { experiment_id: text, arm: oneOf(arms), latency_ms: integer, calls: integer },
  /** JSON of `core/experiments/tally.ts`. */
  experiment_tallies: { experiment_id: text, tally: text },
  /** How a verification is made; `quick` and `standard` are built in and have no row. */
  verification_policies: {
    id: text,
    org_id: text,
    name: text,
    margin: real,
    max_pairs: integer,
    max_spend_microcents: integer,
    share_pct: integer,
    /** null: the strongest model that is not compared. */
    judge_model: orNull(text),
    evidence_mode: oneOf(evidenceModes),
    created_at: integer,
    updated_at: integer,
  },
  /** "Does this model hold up?", asked by somebody. The gateway samples calls for those that are collecting. */
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
    /** Both null where nothing is judged: the evidence is an experiment, or was captured. */
    judge_provider: orNull(text),
    judge_model: orNull(text),
    policy_id: text,
    evidence_mode: oneOf(evidenceModes),
    share_pct: integer,
    max_pairs: integer,
    max_spend_microcents: integer,
    /** Decides which calls are sampled, and which pairs are controls. */
    seed: integer,
    status: oneOf(requestStatuses),
    trial_id: text,
    verdict_id: orNull(text),
    end_reason: orNull(text),
    created_by: text,
    created_at: integer,
    expires_at: integer,
    ended_at: orNull(integer),
  },
  /** What was announced before the first pair. `plan` is canonical JSON, and never changes. */
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
    /** Of all shadow and judge calls, graded or not. */
    spent_microcents: integer,
    /** JSON: what the next pair is added to. */
    state: text,
    updated_at: integer,
  },
  /** The numbers of a graded pair. Neither the request nor an answer is stored anywhere. */
  verification_pairs: {
    request_id: text,
    /** The production call's event, or the sender's id of a captured pair. */
    pair_id: text,
    /** From 1, in the order of the ledger. */
    position: integer,
    kind: oneOf(pairKinds),
    session_id: orNull(text),
    category: oneOf(taskCategories),
    score: real,
    grader: text,
    /** 0: it came after the verdict. */
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
    /** null: all categories together, the one that decides. */
    task_category: orNull(oneOf(taskCategories)),
    verdict: oneOf(verdictNames),
    evidence_mode: oneOf(evidenceModes),
    /** JSON of `core/verification`. */
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
    /** The same reference grants once. */
    reference: text,
    granted_by: text,
    created_at: integer,
  },
  verification_charges: { request_id: text, org_id: text, mode: oneOf(modes), created_at: integer },
  /** Something to be sent until it has arrived, to a webhook or over an alert's channel. */
  deliveries: {
    /** What receivers know it by (`webhook-id`); the same at every try. Ordered by time. */
    id: text,
    org_id: text,
    mode: oneOf(modes),
    channel: oneOf(["webhook", "email", "slack", "telegram", "alert_webhook"]),
    /** Whose queue it stands in: a webhook's id, or channel and organization. */
    receiver: text,
    kind: text,
    /** The event, outcome or alert that it tells of. */
    subject_id: text,
    body: text,
    status: oneOf(deliveryStatuses),
    /** Of this round: a replay begins a new one. */
    tries: integer,
    next_attempt_at: integer,
    /** Of this round, too. */
    first_tried_at: orNull(integer),
    created_at: integer,
    finished_at: orNull(integer),
  },
  delivery_attempts: {
    delivery_id: text,
    /** From 1, over all rounds. */
    number: integer,
    started_at: integer,
    duration_ms: integer,
    http_status: orNull(integer),
    error: orNull(text),
    /** The first part of what was answered. */
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
    /** JSON: the cards of `additional_usage`, in its order. null: there was none, or nobody kept them yet. */
    additional_cards: orNull(text),
    created_at: integer,
  },

  /** `event_id` is null at the beginning of the ledger, and where a version before it wrote the position. */
  cursors: { reader: text, node: text, position: integer, event_id: orNull(text) },
  /** Events after `common_seq` and up to `lost_seq` had been read, and are not in the ledger any more. */
  rebuilds: {
    id: withDefault(integer),
    /** Cursors that did not match, separated by spaces. */
    readers: text,
    common_seq: integer,
    common_event_id: orNull(text),
    lost_seq: integer,
    /** The end of the ledger when it was noticed: the rebuild is over when it is reached. */
    until_seq: integer,
    noticed_at: integer,
    /** null: under way. */
    finished_at: orNull(integer),
  },
  scopes: { id: withDefault(integer), org_id: text, mode: oneOf(modes) },
  models: { id: withDefault(integer), provider: text, model: text },
  /** The read model's own copy of the ledger's agents, with what it has seen of them. */
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
  /** Agent 0 is all of them, and so is model 0. */
  rollup_hours: { ...rollup, hour: integer },
  rollup_days: { ...rollup, day: integer },
  customer_days: { ...totals, scope: integer, day: integer, customer: integer },
  /** One row an event: what totals at the edge of a window and every list are found by. The ledger has the rest. */
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
    latency_ms: integer,
    input_tokens: integer,
    output_tokens: integer,
    /** As in the ledger, plus its adjustments. */
    cost_microcents: integer,
    /** 1: nobody knows its cost. 0 again once it was rerated. */
    unpriced: withDefault(integer),
  },
  /** Ingested events by the id that their sender knows. */
  external_ids: { scope: integer, external_id: text, seq: integer },
  /** `o00` to `o18` count calls by output tokens, see `output-histogram.ts`. */
  profile_days: {
    scope: integer,
    day: integer,
    agent: integer,
    model: integer,
    ...eachOf([...sumColumns, ...peakColumns, ...outputColumns], integer),
  },
  /** The prompt that a session began with, of each agent in it. */
  profile_sessions: { session_id: text, scope: integer, agent: integer, first_input_tokens: integer },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Column>>>>;

type Tables = typeof tables;
export type TableName = keyof Tables;

export type ControlSchema = {
  [T in TableName]: { [C in keyof Tables[T]]: Tables[T][C] extends Column<infer Type> ? Type : never };
};

/** The control plane's database, or a transaction on it. */
export type ControlDb = Kysely<ControlSchema>;

/** The word that a column may hold; `never` where it may hold any text, or is none. */
export type WordOf<T extends TableName, C> = C extends keyof Tables[T]
  ? Tables[T][C] extends Column<unknown, infer Word>
    ? Word
    : never
  : never;

/** A row as `fromRow` leaves it: a column of a few words has the type of those words. */
export type Parsed<T extends TableName, Row> = {
  [C in keyof Row]: [WordOf<T, C>] extends [never] ? Row[C] : WordOf<T, C> | Extract<Row[C], null>;
};

export type TableRow<T extends TableName> = Parsed<T, Selectable<ControlSchema[T]>>;
