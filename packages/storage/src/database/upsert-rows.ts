import { CompiledQuery } from "kysely";
import type { Column } from "../engine/columns.ts";
import { pauseIfDue } from "../engine/next-turn.ts";
import type { Engine } from "./open-control-database.ts";
import { type ControlDb, type TableName, tables } from "./schema.ts";

export type Value = string | number | null;

/** How to write a row, and how to merge it with an existing row of the same key. Names never come from users. */
export interface Upsert {
  readonly table: TableName;
  readonly columns: readonly string[];
  /** Empty: an existing row is an error. */
  readonly key: readonly string[];
  /** Added to the existing values. */
  readonly add: readonly string[];
  /** Every row exists, and the table has no unique key of these columns, because it is divided (`partitions.ts`). */
  readonly isUpdate?: boolean;
  /** Keeps the smaller or larger of the two; a number wins over null. */
  readonly least?: readonly string[];
  readonly greatest?: readonly string[];
  readonly returning?: readonly string[];
}

/** Rows per statement: the round trip is a large part of an insert. */
const BATCH_SIZES = [64, 8, 1] as const;

/**
 * Writes many rows, each key at most once. SQLite gets them as parameters; PostgreSQL as one array per column, so
 * that one statement takes any number of rows.
 */
export async function upsertRows<Returned>(
  db: ControlDb,
  engine: Engine,
  upsert: Upsert,
  rows: readonly (readonly Value[])[],
): Promise<Returned[]> {
  if (rows.length === 0) return [];
  if (engine === "postgres") return upsertAsArrays(db, upsert, rows);
  const returned: Returned[] = [];
  let from = 0;
  for (const size of BATCH_SIZES) {
    const text = sqliteText(upsert, size);
    for (; from + size <= rows.length; from += size) {
      // `concat` copies a row at once; a loop over its values takes six times as long.
      const none: Value[] = [];
      const parameters = none.concat(...rows.slice(from, from + size));
      // Not passed as an argument: Kysely would freeze thousands of values, which takes longer than writing them.
      const query = { ...CompiledQuery.raw(text), parameters };
      const answer = await db.executeQuery<Returned>(query);
      if (upsert.returning) returned.push(...answer.rows);
      await pauseIfDue();
    }
  }
  return returned;
}

async function upsertAsArrays<Returned>(
  db: ControlDb,
  upsert: Upsert,
  rows: readonly (readonly Value[])[],
): Promise<Returned[]> {
  const added = new Set(upsert.add);
  const arrays: string[] = [];
  for (const [index, column] of upsert.columns.entries()) {
    const values = rows.map(row => row[index] ?? null);
    arrays.push(arrayLiteral(added.has(column) ? withoutLastZeros(values) : values));
    await pauseIfDue();
  }
  return (await db.executeQuery<Returned>(CompiledQuery.raw(postgresText(upsert), arrays))).rows;
}

/** Most added values are zero (31 of 32 buckets), many in all rows: the database fills in those at the end. */
function withoutLastZeros(values: readonly Value[]): readonly Value[] {
  return values.slice(0, values.findLastIndex(value => value !== 0) + 1);
}

function arrayLiteral(values: readonly Value[]): string {
  return `{${values.map(value => (typeof value === "string" ? quoted(value) : (value ?? "NULL"))).join()}}`;
}

const quoted = (text: string) => `"${text.replace(/["\\]/g, "\\$&")}"`;

const ARRAY_TYPES = { text: "TEXT[]", integer: "BIGINT[]", real: "DOUBLE PRECISION[]" } as const;

function postgresText(upsert: Upsert): string {
  const { table, columns, add, isUpdate } = upsert;
  const declared: Readonly<Record<string, Column>> = tables[table];
  const arrays = columns.map((column, index) => {
    const type = ARRAY_TYPES[declared[column]?.kind ?? "text"];
    return `unnest(CAST($${index + 1} AS ${type})) AS ${column}`;
  });
  const values = columns.map(column =>
    add.includes(column) ? `coalesce(${column}, 0) AS ${column}` : column,
  );
  // Not `FROM unnest(…)`: PostgreSQL would first store each array as a table.
  const given = `SELECT ${values.join(", ")} FROM (SELECT ${arrays.join(", ")}) AS arrays`;
  return isUpdate
    ? `UPDATE ${table} SET ${changesOf(upsert).join(", ")} FROM (${given}) AS excluded WHERE ${isSame(upsert)}`
    : `INSERT INTO ${table} (${columns.join(", ")}) ${given} ${onConflict(upsert)}`;
}

const texts = new WeakMap<Upsert, Map<number, string>>();

function sqliteText(upsert: Upsert, size: number): string {
  const bySize = texts.get(upsert) ?? new Map<number, string>();
  texts.set(upsert, bySize);
  let text = bySize.get(size);
  if (text === undefined) {
    const { table, columns, isUpdate } = upsert;
    const row = `(${columns.map(() => "?").join(", ")})`;
    const rows = `VALUES ${new Array(size).fill(row).join(", ")}`;
    text = isUpdate
      ? `WITH excluded (${columns.join(", ")}) AS (${rows})
          UPDATE ${table} SET ${changesOf(upsert).join(", ")} FROM excluded WHERE ${isSame(upsert)}`
      : `INSERT INTO ${table} (${columns.join(", ")}) ${rows} ${onConflict(upsert)}`;
    bySize.set(size, text);
  }
  return text;
}

const isSame = ({ table, key }: Upsert) =>
  key.map(column => `${table}.${column} = excluded.${column}`).join(" AND ");

function changesOf({ table, add, least = [], greatest = [] }: Upsert): string[] {
  const keepIf = (column: string, comparison: string) =>
    `${column} = CASE WHEN ${table}.${column} ${comparison} excluded.${column}
      THEN ${table}.${column} ELSE excluded.${column} END`;
  return [
    ...add.map(column => `${column} = ${table}.${column} + excluded.${column}`),
    ...least.map(column => keepIf(column, "<=")),
    ...greatest.map(column => keepIf(column, ">=")),
  ];
}

function onConflict(upsert: Upsert): string {
  const { key, returning } = upsert;
  const changes = changesOf(upsert);
  const action = changes.length === 0 ? "NOTHING" : `UPDATE SET ${changes.join(", ")}`;
  const conflict = key.length === 0 ? "" : `ON CONFLICT (${key.join(", ")}) DO ${action}`;
  return returning ? `${conflict} RETURNING ${returning.join(", ")}` : conflict;
}
