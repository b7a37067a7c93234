import { readSharedClock, type SharedDatabase } from "./postgres-clock.ts";

/** How long ago the node last asked for a part of a budget, by PostgreSQL's clock; null: never. */
export async function sinceLastRequestMs(database: SharedDatabase, nodeId: string): Promise<number | null> {
  const row = await database.db
    .selectFrom("budget_shares")
    .select(({ fn }) => fn.max("asked_at").as("askedAt"))
    .where("node_id", "=", nodeId)
    .executeTakeFirst();
  return row === undefined || row.askedAt === null ? null : (await readSharedClock(database)) - row.askedAt;
}
