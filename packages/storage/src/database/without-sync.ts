import { sql } from "kysely";
import type { ControlDatabase } from "./open-control-database.ts";
import type { ControlDb } from "./schema.ts";

/**
 * For writes that repair themselves after a power cut: SQLite does not wait for the disk. Lost derived data is derived
 * again from its cursor; a message that was sent but not recorded is sent again. User configuration still waits for the
 * disk.
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
