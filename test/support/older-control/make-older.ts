import { Database } from "bun:sqlite";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ControlDatabaseOptions } from "@tollgate/storage/database/open-control-database";
import type { ControlDb, ControlSchema } from "@tollgate/storage/database/schema";
import { BunPostgresDialect } from "@tollgate/storage/engine/bun-postgres-dialect";
import { BunSqliteDialect } from "@tollgate/storage/engine/bun-sqlite-dialect";
import { SQL } from "bun";
import { Kysely } from "kysely";

/** The newest version written by a Tollgate without a migrator. */
export const LAST_OLDER_VERSION = 15;

/**
 * A control database from before Tollgate had a migrator: the statements that the program ran at that time, and the
 * version number that it left. Its tables may differ from `ControlSchema`. The caller must destroy it.
 */
export async function makeOlder(place: ControlDatabaseOptions, version: number): Promise<ControlDb> {
  const text = statementsUpTo(place.kind, version);
  if (place.kind === "sqlite") {
    const file = new Database(place.path, { create: true });
    file.run(`${text}\nPRAGMA user_version = ${version};`);
    return new Kysely<ControlSchema>({ dialect: new BunSqliteDialect(file) });
  }
  const client = new SQL(place.url, { bigint: true, max: 1 });
  await client.unsafe(`${text}
    CREATE TABLE schema_version (version BIGINT NOT NULL);
    INSERT INTO schema_version VALUES (${version});`);
  return new Kysely<ControlSchema>({ dialect: new BunPostgresDialect(client) });
}

function statementsUpTo(engine: ControlDatabaseOptions["kind"], version: number): string {
  const text = readFileSync(join(import.meta.dir, `${engine}.sql`), "utf8");
  return text.split(`-- version ${version + 1}\n`)[0] ?? "";
}
