import { sql } from "kysely";
import type { Engine } from "../engine/engine.ts";
import type { ControlDb } from "./schema.ts";
import { hasTable } from "./schema-version.ts";

/** Exists in a database from the beginning of a migration into it until everything is there and verified. */
const TABLE = "unfinished_migration";

/** How far a migration has come. It is written in the transactions of the migration itself. */
export class UnfinishedMigration {
  constructor(
    private readonly db: ControlDb,
    private readonly engine: Engine,
  ) {}

  exists(): Promise<boolean> {
    return hasTable(this.db, this.engine, TABLE);
  }

  /** The first thing that a migration writes. `source` identifies what is migrated. */
  async begin(source: string): Promise<void> {
    await this.db.transaction().execute(async transaction => {
      await sql`CREATE TABLE ${sql.table(TABLE)} (name TEXT PRIMARY KEY, value TEXT NOT NULL)`.execute(
        transaction,
      );
      await new UnfinishedMigration(transaction, this.engine).write("source", source);
    });
  }

  async read(name: string): Promise<string | null> {
    const { rows } = await sql<{ value: string }>`
      SELECT value FROM ${sql.table(TABLE)} WHERE name = ${name}`.execute(this.db);
    return rows[0]?.value ?? null;
  }

  async write(name: string, value: string): Promise<void> {
    await sql`INSERT INTO ${sql.table(TABLE)} (name, value) VALUES (${name}, ${value})
      ON CONFLICT (name) DO UPDATE SET value = excluded.value`.execute(this.db);
  }

  async end(): Promise<void> {
    await sql`DROP TABLE ${sql.table(TABLE)}`.execute(this.db);
  }
}
