import { type RawBuilder, sql } from "kysely";

/** A list of columns. */
export function namesOf(columns: readonly string[]): RawBuilder<unknown> {
  return sql.join(columns.map(column => sql.ref(column)));
}
