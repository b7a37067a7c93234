export const up = `
-- Calls that the gateway refused itself: the newest of each organization, for a list. They are no events and cost nothing.
CREATE TABLE refusals (
  id INTEGER PRIMARY KEY,
  org_id TEXT NOT NULL,
  mode TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  key_id TEXT NOT NULL,
  agent_key TEXT,
  reason TEXT NOT NULL,
  limit_value INTEGER,
  budget_id TEXT
) STRICT;
CREATE INDEX refusals_by_scope ON refusals (org_id, mode, id);
CREATE INDEX refusals_by_time ON refusals (created_at);

-- All of them, by hour. An empty agent and key: more than are counted one by one.
CREATE TABLE refusal_counts (
  org_id TEXT NOT NULL,
  mode TEXT NOT NULL,
  hour INTEGER NOT NULL,
  reason TEXT NOT NULL,
  agent_key TEXT NOT NULL,
  key_id TEXT NOT NULL,
  calls INTEGER NOT NULL,
  PRIMARY KEY (org_id, mode, hour, reason, agent_key, key_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX refusal_counts_by_hour ON refusal_counts (hour);
`;
