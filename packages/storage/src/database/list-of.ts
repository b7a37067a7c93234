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
