import type { Column } from "../engine/columns.ts";
import { type Parsed, type TableName, tables, type WordOf } from "./schema.ts";

/**
 * Checks the enum columns of a full or partial row. An unknown value is an error that names its table, row and column:
 * mapped to any other value, it would be shown, counted or enforced as something it is not.
 */
export function fromRow<T extends TableName, Row extends { readonly id: string }>(
  table: T,
  row: Row,
): Parsed<T, Row> {
  for (const [column, words] of wordColumns.get(table) ?? []) {
    const value: unknown = Reflect.get(row, column);
    if (value !== undefined && value !== null) requireWord(table, column, row.id, words, value);
  }
  // Every column whose type becomes a narrower one has just been checked.
  return row as unknown as Parsed<T, Row>;
}

/** The same for one value, for queries that rename the column. `id` is the row's id. */
export function wordIn<T extends TableName, C extends keyof (typeof tables)[T] & string>(
  table: T,
  column: C,
  id: string,
  value: string,
): WordOf<T, C> {
  requireWord(table, column, id, wordColumns.get(table)?.get(column) ?? [], value);
  return value as WordOf<T, C>;
}

function requireWord(
  table: string,
  column: string,
  id: string,
  words: readonly string[],
  value: unknown,
): void {
  if (words.some(word => word === value)) return;
  throw new Error(`${table} ${id}: ${column} is ${JSON.stringify(value)}, which this version does not know`);
}

/** By table and column. */
const wordColumns = new Map(
  Object.entries(tables).map(([table, columns]) => [table, wordsIn(columns)] as const),
);

function wordsIn(columns: Readonly<Record<string, Column>>): ReadonlyMap<string, readonly string[]> {
  const found = Object.entries(columns).map(([column, { words }]) => [column, words ?? []] as const);
  return new Map(found.filter(([, words]) => words.length > 0));
}
