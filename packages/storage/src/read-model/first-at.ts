import { sql } from "kysely";
import type { ControlDb } from "../database/schema.ts";

/** The earliest time of a table's rows from a moment on; null: there are none. */
export async function firstAt(
  db: ControlDb,
  table: "facts" | "profile_days",
  column: "created_at" | "day",
  fromMs: number,
): Promise<number | null> {
  const time = sql.ref(column);
  // Scope by scope, because the indexes on time begin with the scope.
  const { rows } = await sql<{ at: number | null }>`
    SELECT min(first_at) AS at FROM (
      SELECT (SELECT min(${time}) FROM ${sql.table(table)} WHERE scope = scopes.id AND ${time} >= ${fromMs}) AS first_at
      FROM scopes) AS firsts`.execute(db);
  const at = rows[0]?.at ?? null;
  return at === null ? null : Number(at);
}
