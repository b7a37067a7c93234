import type { Engine } from "@tollgate/storage/database/open-control-database";
import type { ControlDb, ControlSchema } from "@tollgate/storage/database/schema";
import { advisoryLocks } from "@tollgate/storage/engine/advisory-locks";
import type { BetterAuthOptions } from "better-auth";
import { getMigrations } from "better-auth/db/migration";
import { sql } from "kysely";

/** The control plane's tables and those of identity. Times are epoch milliseconds. */
export interface IdentitySchema extends ControlSchema {
  /** `emailVerified` is a number in SQLite. */
  auth_users: { id: string; email: string; emailVerified: boolean | number; address: string | null };
  auth_accounts: { id: string; userId: string; accountId: string };
  sign_in_failures: { subject: string; failures: number; first_at: number };
}

const ATTEMPTS = 5;

/**
 * Safe to run at every start, even in several processes at once. The library checks before it creates, so on
 * PostgreSQL a lock excludes others. On SQLite the slower process may fail on a table that has just been created: it
 * retries and finds less to do each time.
 */
export async function migrateIdentity(
  db: ControlDb,
  engine: Engine,
  options: BetterAuthOptions,
): Promise<void> {
  if (engine === "postgres") {
    await db.transaction().execute(async transaction => {
      await sql`SELECT pg_advisory_xact_lock(${sql.lit(advisoryLocks.identityMigrations)})`.execute(
        transaction,
      );
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

async function createTables(db: ControlDb, options: BetterAuthOptions): Promise<void> {
  await sql`CREATE TABLE IF NOT EXISTS sign_in_failures (
    subject TEXT PRIMARY KEY,
    failures INTEGER NOT NULL,
    first_at BIGINT NOT NULL
  )`.execute(db);
  const { runMigrations } = await getMigrations(options);
  await runMigrations();
}
