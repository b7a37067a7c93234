import { describe, expect, it } from "bun:test";
import { sql } from "kysely";
import { controlDatabases, engines } from "../../../../test/support/labs/control-databases.ts";
import type { Column } from "../engine/columns.ts";
import type { Engine } from "../engine/engine.ts";
import { type ControlDb, tables } from "./schema.ts";

const databases = controlDatabases();

/** The migrator's own tables. */
const ofMigrator = ["kysely_migration", "kysely_migration_lock", "schema_version"];

const declared = Object.entries(tables).flatMap(([table, columns]) =>
  Object.entries<Column>(columns).map(([name, { kind, isNullable, hasDefault }]) => ({
    column: `${table}.${name}`,
    kind,
    isNullable,
    hasDefault,
  })),
);

interface RealColumn {
  readonly table_name: string;
  readonly name: string;
  readonly type: string;
  readonly required: number;
  readonly given: number;
}

const realColumns: Readonly<Record<Engine, ReturnType<typeof sql<RealColumn>>>> = {
  // A primary key is never null, declared or not. A single integer key is auto-incremented, except that of `facts`.
  sqlite: sql`
    SELECT m.name AS table_name, c.name, c.type, c."notnull" OR c.pk > 0 AS required,
      c.dflt_value IS NOT NULL OR (c.pk = 1 AND lower(c.type) = 'integer' AND NOT c."notnull") AS given
    FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table'`,
  postgres: sql`
    SELECT table_name, column_name AS name, data_type AS type,
      CASE is_nullable WHEN 'NO' THEN 1 ELSE 0 END AS required,
      CASE WHEN column_default IS NOT NULL OR is_identity = 'YES' THEN 1 ELSE 0 END AS given
    FROM information_schema.columns
    WHERE table_schema = 'public' AND NOT (SELECT relispartition FROM pg_class WHERE oid = to_regclass(table_name))`,
};

const kinds: Readonly<Record<string, Column["kind"]>> = {
  text: "text",
  integer: "integer",
  bigint: "integer",
  real: "real",
  "double precision": "real",
};

async function readColumns(db: ControlDb, engine: Engine) {
  const { rows } = await realColumns[engine].execute(db);
  return rows
    .filter(({ table_name }) => !ofMigrator.includes(table_name))
    .map(({ table_name, name, type, required, given }) => ({
      column: `${table_name}.${name}`,
      kind: kinds[type.toLowerCase()],
      isNullable: required === 0,
      hasDefault: given === 1,
    }));
}

/** The values that each column's check constraint allows. */
async function readChecks(db: ControlDb, engine: Engine): Promise<Map<string, string[]>> {
  const { rows } = await (engine === "sqlite"
    ? sql<{
        owner: string;
        text: string;
      }>`SELECT name AS owner, sql AS text FROM sqlite_master WHERE type = 'table'`
    : sql<{ owner: string; text: string }>`
        SELECT conrelid::regclass::text AS owner, pg_get_constraintdef(oid) AS text FROM pg_constraint WHERE contype = 'c'`
  ).execute(db);
  const checks = new Map<string, string[]>();
  for (const { owner, text } of rows) {
    for (const [, column, list] of text.matchAll(/check \(\(?"?(\w+)"? (?:in|= any) \((.*?)\)/gi)) {
      const values = [...(list ?? "").matchAll(/'(\w+)'/g)].map(([, value]) => value ?? "");
      checks.set(`${owner}.${column}`, values.sort());
    }
  }
  return checks;
}

describe.each(engines)("the declared tables on %s", engine => {
  it("match the real ones in names, types, nullability and defaults, and none is missing", async () => {
    const { db } = await databases.open(engine);
    const byName = (one: { column: string }, other: { column: string }) =>
      one.column < other.column ? -1 : 1;
    expect((await readColumns(db, engine)).sort(byName)).toEqual(declared.toSorted(byName));
  });

  it("allow the same enum values as the real ones", async () => {
    const { db } = await databases.open(engine);
    const checks = await readChecks(db, engine);
    expect(checks.size).toBeGreaterThan(20);
    for (const [name, values] of checks) {
      const [table = "", column = ""] = name.split(".");
      const columns: Readonly<Record<string, Column>> = Object(tables)[table];
      expect({ name, values: columns[column]?.enumValues?.toSorted() }).toEqual({ name, values });
    }
  });
});
