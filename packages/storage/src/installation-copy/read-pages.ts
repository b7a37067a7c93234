import { sql } from "kysely";
import type { ControlDb } from "../database/schema.ts";
import type { CopiedTable } from "./copied-tables.ts";

export type Value = string | number | null;
export type Values = readonly Value[];

const PAGE_SIZE = 2000;
/** A list of a busy agent has up to 90 kB. */
const LISTS_PER_PAGE = 50;

const refs = (names: readonly string[]) => sql.join(names.map(name => sql.ref(name)));

/** The rows of a table in the order of its key, as both engines can store them, after the row with the key `after`. */
export async function* readPages(
  db: ControlDb,
  { name, columns, key }: CopiedTable,
  after: Values | null = null,
): AsyncGenerator<readonly Values[]> {
  const isOne = key.length === 0;
  const pageSize = name === "fact_lists" ? LISTS_PER_PAGE : PAGE_SIZE;
  let last = after;
  for (;;) {
    const isAfter = last === null ? sql`true` : sql`(${refs(key)}) > (${sql.join([...last])})`;
    // The target has cursors of its own for what it ships.
    const isCopied =
      name === "cursors" ? sql`reader NOT LIKE 'shipping:%' AND reader NOT LIKE 'refusals:%'` : sql`true`;
    const { rows } = await sql<Record<string, unknown>>`
      SELECT ${refs(columns)} FROM ${sql.table(name)} WHERE ${isAfter} AND ${isCopied}
      ${isOne ? sql`` : sql`ORDER BY ${refs(key)}`} LIMIT ${sql.lit(pageSize)}`.execute(db);
    if (rows.length > 0) yield rows.map(row => columns.map(column => toValue(row[column])));
    const end = rows.at(-1);
    if (end === undefined || isOne || rows.length < pageSize) return;
    last = key.map(column => toValue(end[column]));
  }
}

/** PostgreSQL has no NUL in text; identity's times and booleans are text and numbers in SQLite. */
function toValue(value: unknown): Value {
  if (value instanceof Date) return value.toISOString();
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value === "string") return value.includes("\0") ? value.replaceAll("\0", "\ufffd") : value;
  if (typeof value === "number" || value === null) return value;
  throw new TypeError(`a value of type ${typeof value} cannot be copied`);
}
