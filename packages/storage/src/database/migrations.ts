import { outputColumns } from "../profile/output-histogram.ts";
import { histogramColumns } from "../read-model/latency-histogram.ts";

/**
 * The control store's schema: what people decide. Every table that the gateway obeys bumps `config_revision`, so
 * that a running gateway can tell a decision from the control plane's other writes.
 */
const configTable = (table: string) => bumps("config_revision", table);

const bumps = (revision: string, table: string) =>
  ["INSERT", "UPDATE", "DELETE"]
    .map(
      change => `CREATE TRIGGER ${table}_${change.toLowerCase()}_is_config AFTER ${change} ON ${table}
        BEGIN UPDATE ${revision} SET revision = revision + 1; END;`,
    )
    .join("\n");

const totalColumns = "calls, errors, input_tokens, output_tokens, cost_microcents";
const totals = totalColumns.replaceAll(",", " INTEGER NOT NULL,").concat(" INTEGER NOT NULL");

const histogram = histogramColumns.map(column => `${column} INTEGER NOT NULL`).join(", ");

/** Written out here: a column that the profile gains later is a migration of its own. */
const profileColumns = `calls, errors, error_cost_microcents, retry_calls, retry_cost_microcents,
  input_tokens, uncached_input_tokens, cache_read_tokens, cache_write_tokens, cache_write_1h_tokens,
  output_tokens, cost_microcents,
  short_calls, short_uncached_input_tokens, short_cache_read_tokens, short_cache_write_tokens,
  short_cache_write_1h_tokens, short_output_tokens, short_cost_microcents,
  repeat_calls, repeat_input_tokens, repeat_cost_microcents,
  cacheable_calls, cacheable_tokens, cacheable_start_tokens,
  cacheable_5m_calls, cacheable_5m_tokens, cacheable_5m_start_tokens,
  oversized_calls, oversized_tokens, sessions, session_first_tokens, session_later_calls, session_later_tokens,
  grown_calls, grown_tokens, max_input_tokens, max_output_tokens`
  .split(",")
  .map(column => column.trim())
  .concat(outputColumns);

/** As SQLite reads them; `toPostgres` says the same to the other engine. */
export const controlMigrations: readonly string[] = [
  `
  CREATE TABLE config_revision (revision INTEGER NOT NULL) STRICT;
  INSERT INTO config_revision VALUES (1);

  CREATE TABLE organizations (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    tier TEXT NOT NULL CHECK (tier IN ('starter', 'lite', 'pro', 'enterprise')),
    status TEXT NOT NULL CHECK (status IN ('active', 'inactive', 'suspended')),
    burst_per_minute INTEGER,
    monthly_calls INTEGER,
    -- Salts request_hash and prefix_hash: equal prompts of two organizations have different hashes.
    hash_salt TEXT NOT NULL,
    created_at INTEGER NOT NULL
  ) STRICT;
  ${configTable("organizations")}

  -- A key is known by the SHA-256 of its whole text; the text itself is stored nowhere.
  CREATE TABLE api_keys (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES organizations (id),
    digest TEXT NOT NULL UNIQUE,
    last_four TEXT NOT NULL,
    mode TEXT NOT NULL CHECK (mode IN ('live', 'test')),
    scope TEXT NOT NULL CHECK (scope IN ('read', 'write')),
    created_at INTEGER NOT NULL,
    revoked_at INTEGER
  ) STRICT;
  CREATE INDEX api_keys_by_organization ON api_keys (org_id);
  ${configTable("api_keys")}

  -- A rerated cost is a difference beside the ledger, never a change of it.
  CREATE TABLE adjustments (
    id INTEGER PRIMARY KEY,
    event_id TEXT NOT NULL,
    org_id TEXT NOT NULL,
    amount_microcents INTEGER NOT NULL,
    price_version TEXT NOT NULL,
    card TEXT NOT NULL,
    created_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX adjustments_by_event ON adjustments (event_id);
  `,
  `
  ALTER TABLE organizations ADD COLUMN optimization_model_v3 INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE api_keys ADD COLUMN name TEXT;

  CREATE TABLE members (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES organizations (id),
    user_id TEXT,
    email TEXT NOT NULL,
    role TEXT NOT NULL CHECK (role IN ('owner', 'admin', 'viewer')),
    status TEXT NOT NULL CHECK (status IN ('active', 'invited')),
    created_at INTEGER NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX members_by_email ON members (org_id, email);
  CREATE INDEX members_by_user ON members (user_id);

  CREATE TABLE agent_settings (
    agent_id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES organizations (id),
    mode TEXT NOT NULL CHECK (mode IN ('live', 'test')),
    agent_key TEXT NOT NULL,
    name TEXT,
    metadata TEXT NOT NULL,
    archived_at INTEGER,
    paused_at INTEGER,
    updated_at INTEGER NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX agent_settings_by_agent ON agent_settings (org_id, mode, agent_key);
  ${configTable("agent_settings")}

  CREATE TABLE budgets (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES organizations (id),
    mode TEXT NOT NULL CHECK (mode IN ('live', 'test')),
    agent_id TEXT,
    agent_key TEXT,
    period TEXT NOT NULL CHECK (period IN ('daily', 'monthly')),
    limit_microcents INTEGER NOT NULL CHECK (limit_microcents > 0),
    warning_pct INTEGER NOT NULL,
    enforcement_mode TEXT NOT NULL CHECK (enforcement_mode IN ('alert_only', 'soft_block', 'hard_block')),
    strict INTEGER NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('active', 'paused')),
    since INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX budgets_by_organization ON budgets (org_id, mode);
  ${configTable("budgets")}

  CREATE TABLE webhooks (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES organizations (id),
    mode TEXT NOT NULL CHECK (mode IN ('live', 'test')),
    url TEXT NOT NULL,
    events TEXT NOT NULL,
    secret TEXT NOT NULL,
    created_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX webhooks_by_organization ON webhooks (org_id, mode);

  CREATE TABLE alert_preferences (
    org_id TEXT PRIMARY KEY REFERENCES organizations (id),
    preferences TEXT NOT NULL,
    updated_at INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE alerts (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES organizations (id),
    mode TEXT NOT NULL CHECK (mode IN ('live', 'test')),
    alert_key TEXT NOT NULL,
    type TEXT NOT NULL,
    severity TEXT NOT NULL,
    message TEXT NOT NULL,
    metadata TEXT NOT NULL,
    agent_id TEXT,
    triggered_at INTEGER NOT NULL,
    read_at INTEGER
  ) STRICT;
  CREATE UNIQUE INDEX alerts_by_key ON alerts (org_id, mode, alert_key);
  CREATE INDEX alerts_by_time ON alerts (org_id, mode, triggered_at);

  CREATE TABLE outcomes (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES organizations (id),
    mode TEXT NOT NULL CHECK (mode IN ('live', 'test')),
    name TEXT NOT NULL,
    session_id TEXT,
    agent_id TEXT,
    event_id TEXT,
    outcome_type TEXT,
    source TEXT NOT NULL,
    success INTEGER,
    value_cents INTEGER,
    notes TEXT,
    metadata TEXT NOT NULL,
    confirmed_by TEXT,
    confirmed_at INTEGER,
    created_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX outcomes_by_time ON outcomes (org_id, mode, created_at);
  CREATE INDEX outcomes_by_session ON outcomes (org_id, mode, session_id) WHERE session_id IS NOT NULL;

  -- From here on: derived from the ledger, and never more than a cursor says.
  CREATE TABLE cursors (name TEXT PRIMARY KEY, position INTEGER NOT NULL) STRICT, WITHOUT ROWID;

  CREATE TABLE scopes (id INTEGER PRIMARY KEY, org_id TEXT NOT NULL, mode TEXT NOT NULL) STRICT;
  CREATE UNIQUE INDEX scopes_by_organization ON scopes (org_id, mode);

  CREATE TABLE models (id INTEGER PRIMARY KEY, provider TEXT NOT NULL, model TEXT NOT NULL) STRICT;
  CREATE UNIQUE INDEX models_by_name ON models (provider, model);

  CREATE TABLE agents (
    id INTEGER PRIMARY KEY,
    scope INTEGER NOT NULL,
    agent_key TEXT NOT NULL,
    agent_id TEXT NOT NULL,
    first_seen_at INTEGER NOT NULL,
    last_call_at INTEGER
  ) STRICT;
  CREATE UNIQUE INDEX agents_by_key ON agents (scope, agent_key);
  CREATE INDEX agents_by_public_id ON agents (agent_id);

  CREATE TABLE sessions (
    id INTEGER PRIMARY KEY,
    scope INTEGER NOT NULL,
    session_id TEXT NOT NULL,
    ${totals},
    first_at INTEGER NOT NULL,
    last_at INTEGER NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX sessions_by_key ON sessions (scope, session_id);
  CREATE INDEX sessions_by_time ON sessions (scope, last_at);

  CREATE TABLE customers (
    id INTEGER PRIMARY KEY,
    scope INTEGER NOT NULL,
    customer_id TEXT NOT NULL,
    ${totals},
    first_at INTEGER NOT NULL,
    last_at INTEGER NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX customers_by_key ON customers (scope, customer_id);
  CREATE INDEX customers_by_time ON customers (scope, last_at);

  CREATE TABLE config_versions (
    id INTEGER PRIMARY KEY,
    scope INTEGER NOT NULL,
    config_version TEXT NOT NULL,
    ${totals},
    first_at INTEGER NOT NULL,
    last_at INTEGER NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX config_versions_by_key ON config_versions (scope, config_version);
  CREATE INDEX config_versions_by_time ON config_versions (scope, last_at);

  CREATE TABLE rollup_hours (
    scope INTEGER NOT NULL,
    agent INTEGER NOT NULL,
    model INTEGER NOT NULL,
    hour INTEGER NOT NULL,
    ${totals},
    latency_sum_ms INTEGER NOT NULL,
    ${histogram},
    PRIMARY KEY (scope, agent, hour, model)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX rollup_hours_by_agent ON rollup_hours (scope, hour, agent, ${totalColumns}, latency_sum_ms)
    WHERE model = 0;

  CREATE TABLE rollup_days (
    scope INTEGER NOT NULL,
    agent INTEGER NOT NULL,
    model INTEGER NOT NULL,
    day INTEGER NOT NULL,
    ${totals},
    latency_sum_ms INTEGER NOT NULL,
    ${histogram},
    PRIMARY KEY (scope, agent, day, model)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX rollup_days_by_agent ON rollup_days (scope, day, agent, ${totalColumns}, latency_sum_ms)
    WHERE model = 0;

  CREATE TABLE customer_days (
    scope INTEGER NOT NULL,
    customer INTEGER NOT NULL,
    day INTEGER NOT NULL,
    ${totals},
    PRIMARY KEY (scope, customer, day)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE facts (
    seq INTEGER NOT NULL PRIMARY KEY,
    scope INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    agent INTEGER NOT NULL,
    model INTEGER NOT NULL,
    status INTEGER NOT NULL,
    session INTEGER,
    customer INTEGER,
    config_version INTEGER,
    latency_ms INTEGER NOT NULL,
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    cost_microcents INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX facts_by_time ON facts (scope, created_at);
  CREATE INDEX facts_by_agent ON facts (scope, agent, created_at);
  CREATE INDEX facts_by_model ON facts (scope, model, created_at);
  -- Most calls succeed: they are found by time alone.
  CREATE INDEX facts_by_status ON facts (scope, status, created_at) WHERE status > 0;
  -- Rare within what is frequent: without these, a page of them would be looked for among all calls of an agent.
  CREATE INDEX facts_by_agent_status ON facts (scope, agent, status, created_at) WHERE status > 0;
  CREATE INDEX facts_by_model_status ON facts (scope, model, status, created_at) WHERE status > 0;
  CREATE INDEX facts_by_agent_model ON facts (scope, agent, model, created_at);
  CREATE INDEX facts_by_session ON facts (scope, session, created_at) WHERE session IS NOT NULL;
  CREATE INDEX facts_by_customer ON facts (scope, customer, created_at) WHERE customer IS NOT NULL;
  CREATE INDEX facts_by_config_version ON facts (scope, config_version, created_at)
    WHERE config_version IS NOT NULL;

  -- Ingested events by the id that their sender knows.
  CREATE TABLE external_ids (
    scope INTEGER NOT NULL,
    external_id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    PRIMARY KEY (scope, external_id)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- A key can do no more than whoever made it: else an admin would make one, and with it themselves an owner.
  ALTER TABLE api_keys ADD COLUMN role TEXT NOT NULL DEFAULT 'owner';
  `,
  `
  ALTER TABLE budgets ADD COLUMN warning_is_default INTEGER NOT NULL DEFAULT 0;

  -- A webhook is told of what became a fact after it was registered.
  ALTER TABLE webhooks ADD COLUMN since_seq INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE webhooks ADD COLUMN previous_secret TEXT;
  ALTER TABLE webhooks ADD COLUMN previous_secret_until INTEGER;
  ALTER TABLE webhooks ADD COLUMN failing_since INTEGER;
  ALTER TABLE webhooks ADD COLUMN disabled_at INTEGER;
  ALTER TABLE webhooks ADD COLUMN disabled_reason TEXT;
  ALTER TABLE webhooks ADD COLUMN updated_at INTEGER NOT NULL DEFAULT 0;

  CREATE TABLE deliveries (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES organizations (id),
    mode TEXT NOT NULL CHECK (mode IN ('live', 'test')),
    channel TEXT NOT NULL CHECK (channel IN ('webhook', 'email', 'slack', 'telegram', 'alert_webhook')),
    receiver TEXT NOT NULL,
    kind TEXT NOT NULL,
    subject_id TEXT NOT NULL,
    body TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('pending', 'delivered', 'failed', 'cancelled')),
    tries INTEGER NOT NULL,
    next_attempt_at INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    finished_at INTEGER
  ) STRICT;
  CREATE INDEX deliveries_due ON deliveries (receiver, next_attempt_at) WHERE status = 'pending';
  CREATE INDEX deliveries_by_time ON deliveries (receiver, created_at, id);
  -- Few among many: what somebody looks for, and replays.
  CREATE INDEX deliveries_failed ON deliveries (receiver, created_at, id) WHERE status = 'failed';
  CREATE INDEX deliveries_of_alert ON deliveries (subject_id) WHERE channel <> 'webhook';

  CREATE TABLE delivery_attempts (
    delivery_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    started_at INTEGER NOT NULL,
    duration_ms INTEGER NOT NULL,
    http_status INTEGER,
    error TEXT,
    answer TEXT,
    PRIMARY KEY (delivery_id, number)
  ) STRICT, WITHOUT ROWID;

  ALTER TABLE alerts ADD COLUMN rule_key TEXT NOT NULL DEFAULT '';
  ALTER TABLE alerts ADD COLUMN resolved_at INTEGER;
  ALTER TABLE alerts ADD COLUMN live_seq INTEGER;
  UPDATE alerts SET live_seq = 0;
  CREATE INDEX alerts_open ON alerts (org_id, mode, rule_key) WHERE resolved_at IS NULL;
  CREATE INDEX alerts_unpublished ON alerts (id) WHERE live_seq IS NULL;
  CREATE INDEX alerts_by_live_seq ON alerts (org_id, mode, live_seq);

  CREATE TABLE alert_thresholds (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES organizations (id),
    mode TEXT NOT NULL CHECK (mode IN ('live', 'test')),
    agent_id TEXT,
    agent_key TEXT,
    metric TEXT NOT NULL CHECK (metric IN ('daily_cost', 'monthly_cost', 'error_rate', 'latency_p99')),
    threshold_value REAL NOT NULL,
    action TEXT NOT NULL CHECK (action IN ('email', 'webhook', 'pause_agent')),
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX alert_thresholds_by_rule
    ON alert_thresholds (org_id, mode, COALESCE(agent_id, ''), metric, action);
  -- What the gateway does not obey, but whoever watches for alerts: a change shows by this number.
  CREATE TABLE alert_revision (revision INTEGER NOT NULL) STRICT;
  INSERT INTO alert_revision VALUES (1);
  ${bumps("alert_revision", "alert_thresholds")}
  ${bumps("alert_revision", "alert_preferences")}

  -- What the alert channel \`webhook\` is signed with: an address alone proves nothing to its owner.
  CREATE TABLE alert_webhook_secrets (
    org_id TEXT PRIMARY KEY REFERENCES organizations (id),
    secret TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    previous_secret TEXT,
    previous_secret_until INTEGER
  ) STRICT;

  CREATE TABLE predictions (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES organizations (id),
    mode TEXT NOT NULL CHECK (mode IN ('live', 'test')),
    prediction_key TEXT NOT NULL,
    agent_id TEXT,
    prediction_type TEXT NOT NULL,
    severity TEXT NOT NULL,
    confidence REAL NOT NULL,
    predicted_breach_at INTEGER,
    current_value REAL NOT NULL,
    threshold_value REAL NOT NULL,
    trend_direction TEXT NOT NULL,
    message TEXT NOT NULL,
    evidence TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('active', 'acknowledged', 'resolved')),
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acknowledged_at INTEGER,
    resolved_at INTEGER
  ) STRICT;
  CREATE UNIQUE INDEX predictions_open ON predictions (org_id, mode, prediction_key) WHERE status <> 'resolved';
  CREATE INDEX predictions_by_time ON predictions (org_id, mode, created_at);
  `,
  `
  -- Who may see an organization is looked at again when it changes, also by those who are watching already.
  ${configTable("members")}

  -- What was applied to an agent: the gateway obeys it until it is undone.
  CREATE TABLE optimizations (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES organizations (id),
    mode TEXT NOT NULL CHECK (mode IN ('live', 'test')),
    agent_id TEXT NOT NULL,
    agent_key TEXT NOT NULL,
    optimization_type TEXT NOT NULL CHECK (optimization_type IN ('model_switch', 'token_guardrails', 'prompt_caching')),
    payload TEXT NOT NULL,
    source TEXT NOT NULL,
    applied_by TEXT NOT NULL,
    applied_at INTEGER NOT NULL,
    undone_at INTEGER
  ) STRICT;
  CREATE UNIQUE INDEX optimizations_in_force ON optimizations (org_id, mode, agent_id, optimization_type)
    WHERE undone_at IS NULL;
  CREATE INDEX optimizations_by_agent ON optimizations (org_id, mode, agent_id, applied_at);
  ${configTable("optimizations")}

  CREATE TABLE experiments (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES organizations (id),
    mode TEXT NOT NULL CHECK (mode IN ('live', 'test')),
    agent_id TEXT NOT NULL,
    agent_key TEXT NOT NULL,
    name TEXT NOT NULL,
    control_model TEXT,
    treatment_model TEXT NOT NULL,
    traffic_pct INTEGER NOT NULL,
    primary_metric TEXT NOT NULL,
    max_duration_days INTEGER NOT NULL,
    auto_promote INTEGER NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('running', 'paused', 'completed', 'cancelled')),
    created_at INTEGER NOT NULL,
    ends_at INTEGER NOT NULL,
    ended_at INTEGER,
    end_reason TEXT,
    winner TEXT,
    promoted INTEGER NOT NULL DEFAULT 0,
    results TEXT,
    updated_at INTEGER NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX experiments_open ON experiments (org_id, mode, agent_id)
    WHERE status IN ('running', 'paused');
  CREATE INDEX experiments_by_time ON experiments (org_id, mode, created_at);
  ${configTable("experiments")}
  `,
  `
  -- The calls of experiments, each once: what their results are computed from.
  CREATE TABLE experiment_calls (
    experiment_id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    arm TEXT NOT NULL CHECK (arm IN ('control', 'treatment')),
    cost_microcents INTEGER,
    latency_ms INTEGER NOT NULL,
    is_error INTEGER NOT NULL,
    session_id TEXT,
    PRIMARY KEY (experiment_id, seq)
  ) STRICT, WITHOUT ROWID;

  -- What a session has added to its arm: the calls of one session are not independent of each other.
  CREATE TABLE experiment_sessions (
    experiment_id TEXT NOT NULL,
    arm TEXT NOT NULL,
    session_id TEXT NOT NULL,
    calls INTEGER NOT NULL,
    errors INTEGER NOT NULL,
    priced_calls INTEGER NOT NULL,
    cost_microcents INTEGER NOT NULL,
    tested_calls INTEGER NOT NULL,
    slow_calls INTEGER NOT NULL,
    PRIMARY KEY (experiment_id, session_id, arm)
  ) STRICT, WITHOUT ROWID;

  -- Calls by latency to the millisecond: percentiles of any number of calls are exact, and read in no time.
  CREATE TABLE experiment_latencies (
    experiment_id TEXT NOT NULL,
    arm TEXT NOT NULL,
    latency_ms INTEGER NOT NULL,
    calls INTEGER NOT NULL,
    PRIMARY KEY (experiment_id, arm, latency_ms)
  ) STRICT, WITHOUT ROWID;

  -- Running sums, and the sequential test as far as it got.
  CREATE TABLE experiment_tallies (
    experiment_id TEXT PRIMARY KEY,
    tally TEXT NOT NULL
  ) STRICT;
  `,
  `
  -- How agents use models, by UTC day: what the leak scan and suggestions are made from.
  CREATE TABLE profile_days (
    scope INTEGER NOT NULL,
    day INTEGER NOT NULL,
    agent INTEGER NOT NULL,
    model INTEGER NOT NULL,
    ${profileColumns.map(column => `${column} INTEGER NOT NULL`).join(", ")},
    PRIMARY KEY (scope, day, agent, model)
  ) STRICT, WITHOUT ROWID;

  -- The prompt that a session began with, of each agent in it.
  CREATE TABLE profile_sessions (
    session_id TEXT NOT NULL,
    scope INTEGER NOT NULL,
    agent INTEGER NOT NULL,
    first_input_tokens INTEGER NOT NULL,
    PRIMARY KEY (session_id, scope, agent)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- What a row of failures and a round of tries are bounded by.
  ALTER TABLE webhooks ADD COLUMN last_failed_at INTEGER;
  ALTER TABLE deliveries ADD COLUMN first_tried_at INTEGER;
  `,
  `
  -- What optimizations in force have done so far, from the ledger.
  CREATE TABLE optimization_effects (
    optimization_id TEXT PRIMARY KEY,
    calls INTEGER NOT NULL,
    priced_calls INTEGER NOT NULL,
    saved_microcents INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- There is room for a million alerts after an event instead of a thousand; each keeps its place among the others.
  UPDATE alerts SET live_seq = live_seq / 1000 * 1000000 + live_seq % 1000 WHERE live_seq IS NOT NULL;
  `,
  `
  -- The ledger has them, and nobody asked for them here; of an experiment that is over the results are kept.
  DROP TABLE experiment_calls;
  DELETE FROM experiment_sessions WHERE experiment_id IN (SELECT id FROM experiments WHERE results IS NOT NULL);
  DELETE FROM experiment_latencies WHERE experiment_id IN (SELECT id FROM experiments WHERE results IS NOT NULL);
  DELETE FROM experiment_tallies WHERE experiment_id IN (SELECT id FROM experiments WHERE results IS NOT NULL);
  `,
  `
  -- 1: a hard_block budget lets calls to models without a price through.
  ALTER TABLE budgets ADD COLUMN allow_unpriced INTEGER NOT NULL DEFAULT 0;
  `,
  `
  -- Every total says how many of its calls have no known price. Facts that are older than this are counted by the
  -- follower (count-older-unpriced.ts): whether an event was unpriced stands in the ledger.
  ALTER TABLE facts ADD COLUMN unpriced INTEGER NOT NULL DEFAULT 0;
  ${["sessions", "customers", "config_versions", "rollup_hours", "rollup_days", "customer_days"]
    .map(table => `ALTER TABLE ${table} ADD COLUMN unpriced_calls INTEGER NOT NULL DEFAULT 0;`)
    .join("\n  ")}
  DROP INDEX rollup_hours_by_agent;
  CREATE INDEX rollup_hours_by_agent
    ON rollup_hours (scope, hour, agent, ${totalColumns}, unpriced_calls, latency_sum_ms) WHERE model = 0;
  DROP INDEX rollup_days_by_agent;
  CREATE INDEX rollup_days_by_agent
    ON rollup_days (scope, day, agent, ${totalColumns}, unpriced_calls, latency_sum_ms) WHERE model = 0;
  INSERT INTO cursors (name, position)
    SELECT 'read-model:unpriced', 0 FROM cursors WHERE name = 'read-model:events' AND position > 0;

  -- The rates that other models of the same call were rerated by, so that the difference can be explained.
  ALTER TABLE adjustments ADD COLUMN additional_cards TEXT;
  `,
  `
  -- Which event a reader stopped at: a number alone says nothing once a ledger has been restored.
  ALTER TABLE cursors ADD COLUMN event_id TEXT;

  -- Each time the ledger turned out not to have what was read from it. Derived data is made anew up to until_seq.
  CREATE TABLE rebuilds (
    id INTEGER PRIMARY KEY,
    readers TEXT NOT NULL,
    common_seq INTEGER NOT NULL,
    common_event_id TEXT,
    lost_seq INTEGER NOT NULL,
    until_seq INTEGER NOT NULL,
    noticed_at INTEGER NOT NULL,
    finished_at INTEGER
  ) STRICT;
  `,
  `
  -- Who made a key: an e-mail address, or 'cli'; null where nobody knows. Its rights end where that user's do.
  ALTER TABLE api_keys ADD COLUMN created_by TEXT;
  ALTER TABLE api_keys ADD COLUMN created_by_user TEXT;

  -- The digest of the code that accepts an invitation, while it is open.
  ALTER TABLE members ADD COLUMN invitation TEXT;
  CREATE UNIQUE INDEX members_by_invitation ON members (invitation) WHERE invitation IS NOT NULL;
  `,
];
