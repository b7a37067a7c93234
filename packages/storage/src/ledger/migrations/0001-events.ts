export const up = `
CREATE TABLE events (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  org_id TEXT NOT NULL,
  mode TEXT NOT NULL CHECK (mode IN ('live', 'test')),
  created_at INTEGER NOT NULL,
  source TEXT NOT NULL,
  endpoint TEXT NOT NULL,
  stream INTEGER NOT NULL,
  agent_key TEXT NOT NULL,
  session_id TEXT,
  customer_id TEXT,
  config_version TEXT,
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  requested_model TEXT NOT NULL,
  served_model TEXT,
  status TEXT NOT NULL,
  http_status INTEGER,
  error_code TEXT,
  latency_ms INTEGER NOT NULL,
  ttft_ms INTEGER,
  input_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  usage TEXT NOT NULL,
  additional_usage TEXT,
  usage_source TEXT NOT NULL,
  cost_microcents INTEGER NOT NULL,
  cost_basis TEXT NOT NULL,
  price_version TEXT,
  service_tier TEXT,
  response_id TEXT,
  request_hash TEXT,
  prefix_hash TEXT,
  experiment_id TEXT,
  arm TEXT,
  budget_flags TEXT
) STRICT;
CREATE TRIGGER events_are_never_changed BEFORE UPDATE ON events
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER events_are_never_removed BEFORE DELETE ON events
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;

-- The rates behind every price_version, so that a cost can be recomputed for ever.
CREATE TABLE rate_cards (version TEXT PRIMARY KEY, card TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE agents (
  org_id TEXT NOT NULL,
  mode TEXT NOT NULL,
  agent_key TEXT NOT NULL,
  id TEXT NOT NULL UNIQUE,
  first_seen_at INTEGER NOT NULL,
  PRIMARY KEY (org_id, mode, agent_key)
) STRICT, WITHOUT ROWID;

-- Live events of an organization in a UTC month: derived, kept because a start must not count the ledger.
CREATE TABLE monthly_calls (
  org_id TEXT NOT NULL,
  month TEXT NOT NULL,
  calls INTEGER NOT NULL,
  PRIMARY KEY (org_id, month)
) STRICT, WITHOUT ROWID;
`;
