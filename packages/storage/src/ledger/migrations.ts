/** The ledger's schema. Events are only ever added: triggers refuse what the code would never try. */
export const ledgerMigrations: readonly string[] = [
  `
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
  `,
  `
  -- The id under which an ingested event was sent; its own id is made from it, so that two organizations may use one.
  ALTER TABLE events ADD COLUMN external_id TEXT;

  -- What each budget has spent in a period since it was made or last reset. Written with the events it sums.
  CREATE TABLE budget_spend (
    budget_id TEXT NOT NULL,
    since INTEGER NOT NULL,
    period TEXT NOT NULL,
    spent_microcents INTEGER NOT NULL,
    PRIMARY KEY (budget_id, since, period)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- Beside what was spent: what providers may yet bill for calls whose cost was estimated, kept back by strict budgets.
  ALTER TABLE budget_spend ADD COLUMN withheld_microcents INTEGER NOT NULL DEFAULT 0;
  `,
  `
  ALTER TABLE events ADD COLUMN trace_id TEXT;
  ALTER TABLE events ADD COLUMN span_id TEXT;
  ALTER TABLE events ADD COLUMN instrumentation TEXT;

  -- Spans that tell of a call which has its event already. An event takes one of each instrumentation, for ever: a
  -- second span of the same instrumentation is another call.
  CREATE TABLE linked_spans (
    event_id TEXT NOT NULL,
    instrumentation TEXT NOT NULL,
    -- The id that the span's own event would have had.
    span_event_id TEXT NOT NULL UNIQUE,
    PRIMARY KEY (event_id, instrumentation)
  ) STRICT, WITHOUT ROWID;
  CREATE TRIGGER links_are_never_changed BEFORE UPDATE ON linked_spans
    BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
  CREATE TRIGGER links_are_never_removed BEFORE DELETE ON linked_spans
    BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
  `,
];
