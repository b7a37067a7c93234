/**
 * The control store's schema: what people decide. Every table that the gateway obeys bumps `config_revision`, so
 * that a running gateway can tell a decision from the control plane's other writes.
 */
const configTable = (table: string) =>
  ["INSERT", "UPDATE", "DELETE"]
    .map(
      change => `CREATE TRIGGER ${table}_${change.toLowerCase()}_is_config AFTER ${change} ON ${table}
        BEGIN UPDATE config_revision SET revision = revision + 1; END;`,
    )
    .join("\n");

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
];
