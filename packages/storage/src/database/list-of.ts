import { type RawBuilder, sql } from "kysely";
import type { Engine } from "./open-control-database.ts";

/**
 * A list for `IN` as a single parameter of any length: the statement stays the same, is prepared once, and never
 * reaches an engine's parameter limit.
 */
export function listOfTexts(engine: Engine, values: readonly string[]): RawBuilder<string> {
  const json = JSON.stringify(values.filter(isText));
  return engine === "sqlite"
    ? sql<string>`(SELECT value FROM json_each(${json}))`
    : sql<string>`(SELECT json_array_elements_text(CAST(CAST(${json} AS TEXT) AS JSON)))`;
}

/** PostgreSQL rejects the whole list if one value is not storable text; no column can contain such a value anyway. */
function isText(value: string): boolean {
  return value.isWellFormed() && !value.includes("\0");
}

export function listOfNumbers(engine: Engine, values: readonly number[]): RawBuilder<number> {
  const json = JSON.stringify(values);
  return engine === "sqlite"
    ? sql<number>`(SELECT value FROM json_each(${json}))`
    : sql<number>`(SELECT CAST(json_array_elements_text(CAST(CAST(${json} AS TEXT) AS JSON)) AS BIGINT))`;
}

/** Rows of numbers as a single parameter, like a table with these columns. */
export function rowsOfNumbers(
  engine: Engine,
  columns: readonly string[],
  rows: readonly (readonly number[])[],
): RawBuilder<unknown> {
  const json = JSON.stringify(rows);
  const given =
    engine === "sqlite"
      ? sql`json_each(${json})`
      : sql`json_array_elements(CAST(CAST(${json} AS TEXT) AS JSON)) AS given (value)`;
  const values = columns.map(
    (column, index) => sql`CAST(value ->> ${sql.lit(index)} AS BIGINT) AS ${sql.ref(column)}`,
  );
  return sql`(SELECT ${sql.join(values)} FROM ${given})`;
}
