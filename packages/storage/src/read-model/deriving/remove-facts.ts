import { DAY_MS } from "@tollgate/core/time/durations";
import { type RawBuilder, sql } from "kysely";
import type { ControlDb } from "../../database/schema.ts";
import { namesOf } from "../names-of.ts";
import { totalColumns } from "../rollup-sums.ts";
import { totalsOfFacts } from "../sum-of.ts";

const columns = namesOf(totalColumns);
const added = sql.join(
  totalColumns.map(
    column => sql`${sql.ref(column)} = removed_days.${sql.ref(column)} + excluded.${sql.ref(column)}`,
  ),
);

/**
 * Removes facts and keeps their sums by day, in the caller's transaction: the rollups can still be checked against what
 * was removed and what is left.
 */
export async function removeFacts(transaction: ControlDb, which: RawBuilder<unknown>): Promise<void> {
  await addToRemoved(transaction, sql`facts WHERE ${which}`);
  await sql`DELETE FROM facts WHERE ${which}`.execute(transaction);
}

/** The caller removes them. */
export async function addToRemoved(transaction: ControlDb, facts: RawBuilder<unknown>): Promise<void> {
  await sql`INSERT INTO removed_days (scope, day, ${columns})
    SELECT scope, created_at - created_at % ${sql.lit(DAY_MS)} AS day, ${sql.join(totalsOfFacts)}
    FROM ${facts} GROUP BY 1, 2
    ON CONFLICT (scope, day) DO UPDATE SET ${added}`.execute(transaction);
}
