import { sql } from "kysely";
import {
  type ControlMigration,
  eitherMode,
  key,
  ofOrganization,
  oneOf,
  required,
} from "../control-migration.ts";

export const up: ControlMigration = async ({ db, integer, identity, table, index, countChanges }) => {
  await table("config_revision").addColumn("revision", integer, required).execute();
  await sql`INSERT INTO config_revision VALUES (1)`.execute(db);

  await table("organizations")
    .addColumn("id", "text", key)
    .addColumn("name", "text", required)
    .addColumn("tier", "text", oneOf("tier", ["starter", "lite", "pro", "enterprise"]))
    .addColumn("status", "text", oneOf("status", ["active", "inactive", "suspended"]))
    .addColumn("burst_per_minute", integer)
    .addColumn("monthly_calls", integer)
    // Salts request_hash and prefix_hash: equal prompts of two organizations have different hashes.
    .addColumn("hash_salt", "text", required)
    .addColumn("created_at", integer, required)
    .execute();
  await countChanges("organizations", "config_revision");

  // A key is identified by its SHA-256; the text itself is never stored.
  await table("api_keys")
    .addColumn("id", "text", key)
    .addColumn("org_id", "text", ofOrganization)
    .addColumn("digest", "text", column => column.notNull().unique())
    .addColumn("last_four", "text", required)
    .addColumn("mode", "text", eitherMode)
    .addColumn("scope", "text", oneOf("scope", ["read", "write"]))
    .addColumn("created_at", integer, required)
    .addColumn("revoked_at", integer)
    .execute();
  await index("api_keys_by_organization", "api_keys", ["org_id"]).execute();
  await countChanges("api_keys", "config_revision");

  // Reratings never change the ledger: each is stored beside it, as a difference.
  await table("adjustments")
    .addColumn("id", integer, identity)
    .addColumn("event_id", "text", required)
    .addColumn("org_id", "text", required)
    .addColumn("amount_microcents", integer, required)
    .addColumn("price_version", "text", required)
    .addColumn("card", "text", required)
    .addColumn("created_at", integer, required)
    .execute();
  await index("adjustments_by_event", "adjustments", ["event_id"]).execute();
};
