import type { Generated, Kysely } from "kysely";
import type { OutputColumn } from "../profile/output-histogram.ts";
import type { PeakColumn, SumColumn } from "../profile/profile-columns.ts";

/** The control plane's database, or a transaction on it. */
export type ControlDb = Kysely<ControlSchema>;

/**
 * The control plane's tables, the same on SQLite and PostgreSQL. Times are epoch milliseconds, amounts whole
 * numbers, JSON is text, a yes or no is 1 or 0: nothing depends on what an engine makes of a type.
 * What people decide comes first; what is derived from the ledger, and can be made again from it, after it.
 */
export interface ControlSchema {
  config_revision: { revision: number };
  alert_revision: { revision: number };
  organizations: OrganizationTable;
  api_keys: ApiKeyTable;
  members: MemberTable;
  agent_settings: AgentSettingsTable;
  budgets: BudgetTable;
  webhooks: WebhookTable;
  alert_preferences: { org_id: string; preferences: string; updated_at: number };
  alerts: AlertTable;
  alert_thresholds: AlertThresholdTable;
  alert_webhook_secrets: AlertWebhookSecretTable;
  predictions: PredictionTable;
  optimizations: OptimizationTable;
  optimization_effects: OptimizationEffectTable;
  experiments: ExperimentTable;
  experiment_sessions: ExperimentSessionTable;
  /** By millisecond, so that percentiles are exact. */
  experiment_latencies: { experiment_id: string; arm: string; latency_ms: number; calls: number };
  /** JSON of `core/experiments/tally.ts`. */
  experiment_tallies: { experiment_id: string; tally: string };
  deliveries: DeliveryTable;
  delivery_attempts: DeliveryAttemptTable;
  outcomes: OutcomeTable;
  adjustments: AdjustmentTable;

  /** `event_id` is null at the beginning of the ledger, and where a version before it wrote the position. */
  cursors: { name: string; position: number; event_id: string | null };
  rebuilds: RebuildTable;
  scopes: { id: Generated<number>; org_id: string; mode: string };
  models: { id: Generated<number>; provider: string; model: string };
  agents: AgentTable;
  sessions: SubjectTable & { session_id: string };
  customers: SubjectTable & { customer_id: string };
  config_versions: SubjectTable & { config_version: string };
  /** Agent 0 is all of them, and so is model 0. */
  rollup_hours: RollupTable & { hour: number };
  rollup_days: RollupTable & { day: number };
  customer_days: Totals & { scope: number; day: number; customer: number };
  facts: FactTable;
  /** Ingested events by the id that their sender knows. */
  external_ids: { scope: number; external_id: string; seq: number };
  profile_days: ProfileDayTable;
  /** The prompt that a session began with, of each agent in it. */
  profile_sessions: { session_id: string; scope: number; agent: number; first_input_tokens: number };
}

/** Events after `common_seq` and up to `lost_seq` had been read, and are not in the ledger any more. */
interface RebuildTable {
  id: Generated<number>;
  /** Cursors that did not match, separated by spaces. */
  readers: string;
  common_seq: number;
  common_event_id: string | null;
  lost_seq: number;
  /** The end of the ledger when it was noticed: the rebuild is over when it is reached. */
  until_seq: number;
  noticed_at: number;
  /** null: under way. */
  finished_at: number | null;
}

interface OrganizationTable {
  id: string;
  name: string;
  tier: string;
  status: string;
  burst_per_minute: number | null;
  monthly_calls: number | null;
  hash_salt: string;
  optimization_model_v3: Generated<number>;
  created_at: number;
}

interface ApiKeyTable {
  id: string;
  org_id: string;
  digest: string;
  last_four: string;
  mode: string;
  scope: string;
  /** What a member would need to be for what the key does: that of its maker. */
  role: Generated<string>;
  name: string | null;
  /** Shown: an e-mail address or `cli`; null: made before it was recorded. */
  created_by: Generated<string | null>;
  /** The member whose role bounds the key; null: nobody's does. */
  created_by_user: Generated<string | null>;
  created_at: number;
  revoked_at: number | null;
}

/** `user_id` is better-auth's; null while somebody was invited who has no account yet. */
interface MemberTable {
  id: string;
  org_id: string;
  user_id: string | null;
  email: string;
  role: string; // owner | admin | viewer
  status: string; // active | invited
  /** The digest of the code that accepts it; null once it was used, and where it is accepted by a sign-in. */
  invitation: Generated<string | null>;
  created_at: number;
}

/** What people say of an agent. The agent itself registers in the ledger with its first call. */
interface AgentSettingsTable {
  agent_id: string;
  org_id: string;
  mode: string;
  agent_key: string;
  name: string | null;
  metadata: string;
  archived_at: number | null;
  paused_at: number | null;
  updated_at: number;
}

interface BudgetTable {
  id: string;
  org_id: string;
  mode: string;
  /** Both null: the whole organization. */
  agent_id: string | null;
  agent_key: string | null;
  period: string; // daily | monthly
  limit_microcents: number;
  warning_pct: number;
  /** 1: nobody said a line for this budget, so it is the preferences', and moves with them. */
  warning_is_default: Generated<number>;
  enforcement_mode: string; // alert_only | soft_block | hard_block
  strict: number;
  allow_unpriced: Generated<number>;
  status: string; // active | paused
  /** Spend counts from here: the creation, or the last reset. */
  since: number;
  created_at: number;
  updated_at: number;
}

interface WebhookTable {
  id: string;
  org_id: string;
  mode: string;
  url: string;
  events: string;
  secret: string;
  created_at: number;
  updated_at: Generated<number>;
  /** The ledger's newest seq when it was registered: nothing older is sent. */
  since_seq: Generated<number>;
  /** Signs beside the new one until then, so that a receiver can change over without a gap. */
  previous_secret: string | null;
  previous_secret_until: number | null;
  /** The first failure after the last success, or after two days without a try. */
  failing_since: number | null;
  last_failed_at: number | null;
  /** A disabled webhook is sent nothing until somebody enables it. */
  disabled_at: number | null;
  disabled_reason: string | null;
}

/** Something to be sent until it has arrived, to a webhook or over an alert's channel. */
interface DeliveryTable {
  /** What receivers know it by (`webhook-id`); the same at every try. Ordered by time. */
  id: string;
  org_id: string;
  mode: string;
  channel: string; // webhook | email | slack | telegram | alert_webhook
  /** Whose queue it stands in: a webhook's id, or channel and organization. */
  receiver: string;
  kind: string;
  /** The event, outcome or alert that it tells of. */
  subject_id: string;
  body: string;
  status: string; // pending | delivered | failed | cancelled
  /** Of this round: a replay begins a new one. */
  tries: number;
  next_attempt_at: number;
  /** Of this round, too. */
  first_tried_at: number | null;
  created_at: number;
  finished_at: number | null;
}

interface DeliveryAttemptTable {
  delivery_id: string;
  /** From 1, over all rounds. */
  number: number;
  started_at: number;
  duration_ms: number;
  http_status: number | null;
  error: string | null;
  /** The first part of what was answered. */
  answer: string | null;
}

interface AlertThresholdTable {
  id: string;
  org_id: string;
  mode: string;
  /** Both null: the whole organization. */
  agent_id: string | null;
  agent_key: string | null;
  metric: string; // daily_cost | monthly_cost | error_rate | latency_p99
  /** Cents, a decimal fraction, or milliseconds. */
  threshold_value: number;
  action: string; // email | webhook | pause_agent
  created_at: number;
  updated_at: number;
}

/** What the alerts' own webhook is signed with; after a rotation the old one signs too, until then. */
interface AlertWebhookSecretTable {
  org_id: string;
  secret: string;
  created_at: number;
  previous_secret: string | null;
  previous_secret_until: number | null;
}

interface PredictionTable {
  id: string;
  org_id: string;
  mode: string;
  /** Type and subject: one that is not resolved for each. */
  prediction_key: string;
  agent_id: string | null;
  prediction_type: string;
  severity: string;
  confidence: number;
  predicted_breach_at: number | null;
  current_value: number;
  threshold_value: number;
  trend_direction: string;
  message: string;
  evidence: string;
  status: string; // active | acknowledged | resolved
  created_at: number;
  updated_at: number;
  acknowledged_at: number | null;
  resolved_at: number | null;
}

/** What was applied to an agent; the gateway obeys it until it is undone. One of a type in force for an agent. */
interface OptimizationTable {
  id: string;
  org_id: string;
  mode: string;
  agent_id: string;
  agent_key: string;
  /** model_switch `{model}`, token_guardrails `{max_output_tokens}`, prompt_caching `{}`. */
  optimization_type: string;
  payload: string;
  /** What it came from: `suggestion`, or `experiment:<id>`. */
  source: string;
  applied_by: string;
  applied_at: number;
  undone_at: number | null;
}

/** What an optimization has done since it was applied, as far as a follower's cursor says. */
interface OptimizationEffectTable {
  optimization_id: string;
  /** That it changed, or could have. */
  calls: number;
  /** Of those, the ones whose saving is known. */
  priced_calls: number;
  saved_microcents: number;
}

/** A share of an agent's calls goes to another model. One that is running or paused for an agent. */
interface ExperimentTable {
  id: string;
  org_id: string;
  mode: string;
  agent_id: string;
  agent_key: string;
  name: string;
  /** What the agent used most when it began; null: it had called nothing yet. */
  control_model: string | null;
  treatment_model: string;
  traffic_pct: number;
  primary_metric: string;
  max_duration_days: number;
  auto_promote: number;
  status: string; // running | paused | completed | cancelled
  created_at: number;
  ends_at: number;
  ended_at: number | null;
  end_reason: string | null;
  winner: string | null; // control | treatment
  promoted: Generated<number>;
  /** As they stood when it ended. */
  results: string | null;
  updated_at: number;
}

interface ExperimentSessionTable {
  experiment_id: string;
  arm: string;
  session_id: string;
  calls: number;
  errors: number;
  priced_calls: number;
  cost_microcents: number;
  /** Of those that came after the threshold was fixed: how many were slower. */
  tested_calls: number;
  slow_calls: number;
}

interface AlertTable {
  id: string;
  org_id: string;
  mode: string;
  /** Rule, subject and period: an alert fires once for each. */
  alert_key: string;
  type: string;
  severity: string;
  message: string;
  metadata: string;
  agent_id: string | null;
  triggered_at: number;
  read_at: number | null;
  /** Rule and subject, without the period: while one is open, the same is not told again. */
  rule_key: Generated<string>;
  /** When what it tells of was over. */
  resolved_at: number | null;
  /** Its place among the live channel's messages; null until it was given one. */
  live_seq: number | null;
}

interface OutcomeTable {
  id: string;
  org_id: string;
  mode: string;
  name: string;
  session_id: string | null;
  agent_id: string | null;
  event_id: string | null;
  outcome_type: string | null;
  source: string;
  success: number | null;
  value_cents: number | null;
  notes: string | null;
  metadata: string;
  confirmed_by: string | null;
  confirmed_at: number | null;
  created_at: number;
}

interface AdjustmentTable {
  id: Generated<number>;
  event_id: string;
  org_id: string;
  amount_microcents: number;
  price_version: string;
  card: string;
  /** JSON: the cards of `additional_usage`, in its order. null: there was none, or nobody kept them yet. */
  additional_cards: string | null;
  created_at: number;
}

/** The read model's own copy of the ledger's agents, with what it has seen of them. */
interface AgentTable {
  id: Generated<number>;
  scope: number;
  agent_key: string;
  /** The public id, a UUID. */
  agent_id: string;
  first_seen_at: number;
  last_call_at: number | null;
}

interface Totals {
  calls: number;
  errors: number;
  input_tokens: number;
  output_tokens: number;
  cost_microcents: number;
  unpriced_calls: Generated<number>;
}

interface SubjectTable extends Totals {
  id: Generated<number>;
  scope: number;
  first_at: number;
  last_at: number;
}

/** `h00` to `h31` count calls by latency, see `latency-histogram.ts`. */
interface RollupTable extends Totals, Histogram {
  scope: number;
  agent: number;
  model: number;
  latency_sum_ms: number;
}

type Digit = "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9";
export type HistogramColumn = `h0${Digit}` | `h1${Digit}` | `h2${Digit}` | "h30" | "h31";
type Histogram = { [column in HistogramColumn]: number };

/** `o00` to `o18` count calls by output tokens, see `output-histogram.ts`. */
type ProfileDayTable = { scope: number; day: number; agent: number; model: number } & {
  [column in SumColumn | PeakColumn | OutputColumn]: number;
};

/** One row an event: what totals at the edge of a window and every list are found by. The ledger has the rest. */
interface FactTable {
  seq: number;
  scope: number;
  created_at: number;
  agent: number;
  model: number;
  /** One of `statusCodes`. */
  status: number;
  session: number | null;
  customer: number | null;
  config_version: number | null;
  latency_ms: number;
  input_tokens: number;
  output_tokens: number;
  /** As in the ledger, plus its adjustments. */
  cost_microcents: number;
  /** 1: nobody knows its cost. 0 again once it was rerated. */
  unpriced: Generated<number>;
}
