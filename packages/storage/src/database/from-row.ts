import type { Column } from "../engine/columns.ts";
import { type EnumValue, type Parsed, type TableName, tables } from "./schema.ts";

/**
 * Checks the enum columns of a full or partial row. An unknown value is an error that names its table, row and column:
 * mapped to any other value, it would be shown, counted or enforced as something it is not.
 */
export function fromRow<T extends TableName, Row extends { readonly id: string }>(
  table: T,
  row: Row,
): Parsed<T, Row> {
  for (const [column, allowed] of enumColumns.get(table) ?? []) {
    const value: unknown = Reflect.get(row, column);
    if (value !== undefined && value !== null) requireAllowed(table, column, row.id, allowed, value);
  }
  // Every column whose type becomes a narrower one has just been checked.
  return row as unknown as Parsed<T, Row>;
}

/** The same for one value, for queries that rename the column. `id` is the row's id. */
export function parseEnumValue<T extends TableName, C extends keyof (typeof tables)[T] & string>(
  table: T,
  column: C,
  id: string,
  value: string,
): EnumValue<T, C> {
  requireAllowed(table, column, id, enumColumns.get(table)?.get(column) ?? [], value);
  return value as EnumValue<T, C>;
}

function requireAllowed(
  table: string,
  column: string,
  id: string,
  allowed: readonly string[],
  value: unknown,
): void {
  if (allowed.some(known => known === value)) return;
  throw new Error(`${table} ${id}: ${column} is ${JSON.stringify(value)}, which this version does not know`);
}

/** By table and column. */
const enumColumns = new Map(
  Object.entries(tables).map(([table, columns]) => [table, enumColumnsOf(columns)] as const),
);

function enumColumnsOf(columns: Readonly<Record<string, Column>>): ReadonlyMap<string, readonly string[]> {
  const found = Object.entries(columns).map(
    ([column, { enumValues }]) => [column, enumValues ?? []] as const,
  );
  return new Map(found.filter(([, allowed]) => allowed.length > 0));
}
