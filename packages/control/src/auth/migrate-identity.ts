import type { Engine } from "@tollgate/storage/database/open-control-database";
import type { ControlSchema } from "@tollgate/storage/database/schema";
import type { BetterAuthOptions } from "better-auth";
import { getMigrations } from "better-auth/db/migration";
import { type Kysely, sql } from "kysely";

/** What identity keeps beside the control plane's own tables. Times are epoch milliseconds. */
export interface IdentitySchema extends ControlSchema {
  auth_users: { id: string; email: string; address: string | null };
  sign_in_failures: { subject: string; failures: number; first_at: number };
}

const ATTEMPTS = 5;
/** Any number, as long as every Tollgate uses the same, and nothing else does. */
const IDENTITY_LOCK = 7_014_655_284;

/**
 * Safe to run at every start, also by several processes at once. The library looks first and creates then: on
 * PostgreSQL a lock keeps others out meanwhile. On SQLite the slower one may stumble over a table that has just
 * appeared: it looks again, and finds less to do each time.
 */
export async function migrateIdentity(
  db: Kysely<ControlSchema>,
  engine: Engine,
  options: BetterAuthOptions,
): Promise<void> {
  if (engine === "postgres") {
    await db.transaction().execute(async transaction => {
      await sql`SELECT pg_advisory_xact_lock(${sql.lit(IDENTITY_LOCK)})`.execute(transaction);
      await createTables(db, options);
    });
    return;
  }
  for (let attempt = 1; ; attempt++) {
    try {
      await createTables(db, options);
      return;
    } catch (fault) {
      if (attempt === ATTEMPTS) throw fault;
    }
  }
}

async function createTables(db: Kysely<ControlSchema>, options: BetterAuthOptions): Promise<void> {
  await sql`CREATE TABLE IF NOT EXISTS sign_in_failures (
    subject TEXT PRIMARY KEY,
    failures INTEGER NOT NULL,
    first_at BIGINT NOT NULL
  )`.execute(db);
  const { runMigrations } = await getMigrations(options);
  await runMigrations();
}
