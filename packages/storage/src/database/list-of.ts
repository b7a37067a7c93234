import { type RawBuilder, sql } from "kysely";
import type { Engine } from "./open-control-database.ts";

/**
 * A list to search in with `IN`, as one parameter however long it is: the statement stays the same, is prepared once,
 * and no engine's limit on parameters is met.
 */
export function listOfTexts(engine: Engine, values: readonly string[]): RawBuilder<string> {
  const json = JSON.stringify(values.filter(isText));
  return engine === "sqlite"
    ? sql<string>`(SELECT value FROM json_each(${json}))`
    : sql<string>`(SELECT json_array_elements_text(CAST(CAST(${json} AS TEXT) AS JSON)))`;
}

/** PostgreSQL refuses a list with anything else in it, and no column holds such a value. */
function isText(value: string): boolean {
  return value.isWellFormed() && !value.includes("\0");
}

export function listOfNumbers(engine: Engine, values: readonly number[]): RawBuilder<number> {
  const json = JSON.stringify(values);
  return engine === "sqlite"
    ? sql<number>`(SELECT value FROM json_each(${json}))`
    : sql<number>`(SELECT CAST(json_array_elements_text(CAST(CAST(${json} AS TEXT) AS JSON)) AS BIGINT))`;
}
