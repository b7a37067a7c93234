import { SQL } from "bun";
import { Kysely, sql } from "kysely";
import { BunPostgresDialect } from "../engine/bun-postgres-dialect.ts";
import { BunSqliteDialect } from "../engine/bun-sqlite-dialect.ts";
import { openForReading } from "../engine/sqlite.ts";
import { controlMigrations } from "./migrations.ts";
import type { ControlDatabaseOptions } from "./open-control-database.ts";
import type { ControlSchema } from "./schema.ts";

export interface ControlReader {
  readonly db: Kysely<ControlSchema>;
  /** False: another version of the program wrote it, so its tables may differ from `ControlSchema`. */
  readonly isCurrent: boolean;
  close(): Promise<void>;
}

/** The control plane's database, read only and unmigrated, for inspecting an installation. */
export async function openControlReader(options: ControlDatabaseOptions): Promise<ControlReader> {
  const db = new Kysely<ControlSchema>({
    dialect:
      options.kind === "sqlite"
        ? new BunSqliteDialect(openForReading(options.path))
        : new BunPostgresDialect(new SQL(options.url, { bigint: true, max: 1 })),
  });
  try {
    const version =
      options.kind === "sqlite"
        ? sql<{ version: number }>`SELECT user_version AS version FROM pragma_user_version`
        : sql<{ version: number }>`SELECT version FROM schema_version`;
    const { rows } = await version.execute(db);
    return { db, isCurrent: rows[0]?.version === controlMigrations.length, close: () => db.destroy() };
  } catch (fault) {
    await db.destroy();
    throw fault;
  }
}
