import type { ControlDatabase } from "./open-control-database.ts";
import type { ControlDb } from "./schema.ts";

/**
 * Runs all statements of a query on one connection. On SQLite they share a snapshot, from before or after a batch of the
 * follower; `read` must not wait for anything else, because an open snapshot keeps the log from being emptied. On PostgreSQL
 * each statement has its own snapshot: a transaction would take two more round trips.
 */
export function readTogether<Answer>(
  { db, engine }: Pick<ControlDatabase, "db" | "engine">,
  read: (db: ControlDb) => Promise<Answer>,
): Promise<Answer> {
  return engine === "sqlite"
    ? db.transaction().setAccessMode("read only").execute(read)
    : db.connection().execute(read);
}
