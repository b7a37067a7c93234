import type { ControlDatabase } from "@tollgate/storage/control/open-control-database";
import type { ControlSchema } from "@tollgate/storage/control/schema";
import { type Kysely, sql } from "kysely";

/**
 * Work whose loss in a power cut is made good by itself: SQLite does not wait for the disk. A message that was sent
 * and not recorded is sent again; one that was derived and not kept is derived again, from the cursor beside it.
 */
export async function withoutSync<Result>(
  { db, engine }: Pick<ControlDatabase, "db" | "engine">,
  work: (db: Kysely<ControlSchema>) => Promise<Result>,
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
