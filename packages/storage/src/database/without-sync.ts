import { sql } from "kysely";
import type { ControlDatabase } from "./open-control-database.ts";
import type { ControlDb } from "./schema.ts";

/**
 * For work whose loss in a power cut repairs itself: SQLite does not wait for the disk. Lost derived data is derived
 * again from the cursor beside it; a message that was sent and not recorded is sent again. Decisions of people are
 * still written with the wait.
 */
export async function withoutSync<Result>(
  { db, engine }: Pick<ControlDatabase, "db" | "engine">,
  work: (db: ControlDb) => Promise<Result>,
): Promise<Result> {
  if (engine !== "sqlite") return work(db);
  return db.connection().execute(async connection => {
    await sql`PRAGMA synchronous = NORMAL`.execute(connection);
    try {
      return await work(connection);
    } finally {
      await sql`PRAGMA synchronous = FULL`.execute(connection);
    }
  });
}
