import { sql } from "kysely";
import type { ControlDb, ControlTransaction } from "../database/schema.ts";

/** A node that freezes in the middle must not stop the others. */
export const MAX_IDLE_MS = 2000;

/**
 * A transaction that only one node at a time can run for the same name. If its turn comes after the signal, it does nothing:
 * the asker has given up and may have asked again, and a late answer would undo the newer one.
 */
export function inTurn<Result>(
  db: ControlDb,
  name: readonly (string | number)[],
  maxIdleMs: number,
  work: (transaction: ControlTransaction) => Promise<Result>,
  signal?: AbortSignal,
): Promise<Result> {
  return db.transaction().execute(async transaction => {
    // In one statement, because calls may be waiting for every round trip.
    await sql`SELECT set_config('idle_in_transaction_session_timeout', ${String(maxIdleMs)}, true),
      pg_advisory_xact_lock(hashtextextended(CAST(${JSON.stringify(name)} AS TEXT), 0))`.execute(transaction);
    signal?.throwIfAborted();
    return await work(transaction);
  });
}
