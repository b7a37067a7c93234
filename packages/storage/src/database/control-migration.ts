import {
  type ColumnDefinitionBuilder,
  type CreateIndexBuilder,
  type CreateTableBuilder,
  type RawBuilder,
  type SchemaModule,
  sql,
} from "kysely";
import type { Engine } from "../engine/engine.ts";
import type { ControlDb } from "./schema.ts";

/**
 * One step of the control database's schema, for both engines, written with Kysely's schema builder and the helpers
 * below, which cover the differences between engines. A released step is never edited: append another one.
 */
export type ControlMigration = (tools: MigrationTools) => Promise<void>;

type Table = CreateTableBuilder<string, string>;
type Column = ColumnDefinitionBuilder;

export interface MigrationTools {
  readonly db: ControlDb;
  readonly engine: Engine;
  readonly schema: SchemaModule;
  /** 64-bit on both engines. */
  readonly integer: "integer" | "bigint";
  readonly real: "real" | "double precision";
  /** Auto-increment, unless the insert supplies a value. */
  readonly identity: (column: Column) => Column;
  readonly table: (name: string) => Table;
  /** For a table that is read by its composite key: SQLite stores its rows only in that key's index. */
  readonly keyedTable: (name: string) => Table;
  readonly counts: (columns: readonly string[]) => (table: Table) => Table;
  readonly index: (name: string, table: string, columns: readonly IndexPart[]) => Index;
  readonly uniqueIndex: (name: string, table: string, columns: readonly IndexPart[]) => Index;
  /** Increments the single row of `revision` with every statement that writes to `table`. */
  readonly countChanges: (table: string, revision: string) => Promise<void>;
  /** Makes a table one that is divided by ranges of a column; SQLite has no such tables. */
  readonly divide: (table: string, column: string) => Promise<void>;
}

type IndexPart = string | RawBuilder<unknown>;
type Index = CreateIndexBuilder<string>;

export const required = (column: Column) => column.notNull();
export const zero = (column: Column) => column.notNull().defaultTo(0);
export const key = (column: Column) => column.primaryKey();
export const ofOrganization = (column: Column) => column.notNull().references("organizations.id");
export const oneOf = (name: string, values: readonly string[]) => (column: Column) =>
  column.notNull().check(sql`${sql.ref(name)} in (${sql.join(values.map(value => sql.lit(value)))})`);
export const eitherMode = oneOf("mode", ["live", "test"]);

/** `numbered("h", 32)`: h00 to h31. */
export const numbered = (letter: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${letter}${String(index).padStart(2, "0")}`);

export function migrationTools(db: ControlDb, engine: Engine): MigrationTools {
  const { schema } = db;
  const isSqlite = engine === "sqlite";
  const integer = isSqlite ? "integer" : "bigint";
  const create = (name: string, ending: RawBuilder<unknown>): Table =>
    isSqlite ? schema.createTable(name).modifyEnd(ending) : schema.createTable(name);
  const index = (name: string, table: string, columns: readonly IndexPart[]) =>
    schema
      .createIndex(name)
      .on(table)
      .columns([...columns]);
  return {
    db,
    engine,
    schema,
    integer,
    real: isSqlite ? "real" : "double precision",
    identity: column => (isSqlite ? column : column.generatedByDefaultAsIdentity()).primaryKey(),
    table: name => create(name, sql`strict`),
    keyedTable: name => create(name, sql`strict, without rowid`),
    counts: columns => table =>
      columns.reduce((sofar, column) => sofar.addColumn(column, integer, required), table),
    index,
    uniqueIndex: (...parts) => index(...parts).unique(),
    countChanges: (table, revision) => countChanges(db, engine, table, revision),
    divide: async (table, column) => {
      if (engine === "postgres") await divide(db, table, column);
    },
  };
}

/** The schema builder has no triggers, so each engine's are written by hand. */
async function countChanges(db: ControlDb, engine: Engine, table: string, revision: string): Promise<void> {
  for (const change of ["insert", "update", "delete"]) {
    const name = `${table}_${change}_is_config`;
    const count = `update ${revision} set revision = revision + 1;`;
    if (engine === "sqlite") {
      await sql.raw(`create trigger ${name} after ${change} on ${table} begin ${count} end`).execute(db);
      continue;
    }
    await sql
      .raw(
        `create function ${name}() returns trigger language plpgsql as $$ begin ${count} return null; end $$`,
      )
      .execute(db);
    await sql
      .raw(`create trigger ${name} after ${change} on ${table} for each statement execute function ${name}()`)
      .execute(db);
  }
}

/**
 * The table becomes the default partition of a new one, which has all rows until it gets others (`partitions.ts`). Nothing
 * is copied, read or indexed, so it takes as long with a billion rows as with none. The primary key stays with the partition:
 * PostgreSQL would require the column in a key of the whole table.
 */
async function divide(db: ControlDb, table: string, column: string): Promise<void> {
  const { rows: indexes } = await sql<{ name: string; definition: string; isPrimary: boolean }>`
    SELECT c.relname AS name, pg_get_indexdef(i.indexrelid) AS definition, i.indisprimary AS "isPrimary"
    FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid
    WHERE i.indrelid = to_regclass(${table}) ORDER BY 1`.execute(db);
  const rest = `${table}_rest`;
  await sql`ALTER TABLE ${sql.table(table)} RENAME TO ${sql.table(rest)}`.execute(db);
  for (const { name } of indexes) {
    const renamed = name.replace(table, rest);
    await sql`ALTER INDEX ${sql.table(name)} RENAME TO ${sql.table(renamed)}`.execute(db);
  }
  await sql`CREATE TABLE ${sql.table(table)} (LIKE ${sql.table(rest)} INCLUDING DEFAULTS INCLUDING CONSTRAINTS)
    PARTITION BY RANGE (${sql.ref(column)})`.execute(db);
  for (const { definition, isPrimary } of indexes) if (!isPrimary) await sql.raw(definition).execute(db);
  await sql`ALTER TABLE ${sql.table(table)} ATTACH PARTITION ${sql.table(rest)} DEFAULT`.execute(db);
}
