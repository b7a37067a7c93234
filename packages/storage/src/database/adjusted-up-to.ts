import { sql } from "kysely";
import { listOfTexts } from "./list-of.ts";
import type { Engine } from "./open-control-database.ts";
import type { ControlDb } from "./schema.ts";

/** How much reratings have added to these events, by event id, up to an adjustment. Absent: never rerated. */
export async function adjustedUpTo(
  db: ControlDb,
  engine: Engine,
  upTo: number,
  eventIds: readonly string[],
): Promise<Map<string, number>> {
  if (upTo === 0 || eventIds.length === 0) return new Map();
  const rows = await db
    .selectFrom("adjustments")
    .select(["event_id", sql<number>`CAST(sum(amount_microcents) AS BIGINT)`.as("amount")])
    .where("event_id", "in", listOfTexts(engine, eventIds))
    .where("id", "<=", upTo)
    .groupBy("event_id")
    .execute();
  return new Map(rows.map(row => [row.event_id, row.amount]));
}
