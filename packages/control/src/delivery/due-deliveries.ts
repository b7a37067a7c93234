import type { ControlSchema } from "@tollgate/storage/control/schema";
import { type Kysely, sql } from "kysely";
import type { Delivery } from "./delivery.ts";

// `status = 'pending'` stands in the text of every statement here: with a parameter in its place neither engine would
// use the index of what is pending (`deliveries_due`), and each look would read everything that was ever sent.

/** What one receiver is owed now, oldest first. */
export async function readDue(
  db: Kysely<ControlSchema>,
  receiver: string,
  now: number,
  limit: number,
): Promise<readonly Delivery[]> {
  const { rows } = await sql<Delivery>`
    SELECT * FROM deliveries
    WHERE receiver = ${receiver} AND status = 'pending' AND next_attempt_at <= ${now}
    ORDER BY next_attempt_at LIMIT ${limit}`.execute(db);
  return rows;
}

/** When the next of one receiver is due, after `now`; null: there is none. */
export async function nextDueAfter(
  db: Kysely<ControlSchema>,
  receiver: string,
  now: number,
): Promise<number | null> {
  const { rows } = await sql<{ at: number }>`
    SELECT next_attempt_at AS at FROM deliveries
    WHERE receiver = ${receiver} AND status = 'pending' AND next_attempt_at > ${now}
    ORDER BY next_attempt_at LIMIT 1`.execute(db);
  return rows[0]?.at ?? null;
}

export interface WaitingReceiver {
  readonly receiver: string;
  readonly next_attempt_at: number;
}

/**
 * Receivers that are owed something, and when the first of it is due, a page at a time in their own order. It leaps
 * from one receiver to the next, however much each of them is owed.
 */
export async function readReceivers(
  db: Kysely<ControlSchema>,
  after: string,
  limit: number,
): Promise<readonly WaitingReceiver[]> {
  const { rows } = await sql<WaitingReceiver>`
    WITH RECURSIVE leap (receiver) AS (
      SELECT (SELECT min(receiver) FROM deliveries WHERE status = 'pending' AND receiver > ${after})
      UNION ALL
      SELECT (SELECT min(d.receiver) FROM deliveries d WHERE d.status = 'pending' AND d.receiver > leap.receiver)
      FROM leap WHERE leap.receiver IS NOT NULL
    )
    SELECT leap.receiver AS receiver, (
      SELECT min(d.next_attempt_at) FROM deliveries d
      WHERE d.status = 'pending' AND d.receiver = leap.receiver
    ) AS next_attempt_at
    FROM leap WHERE leap.receiver IS NOT NULL LIMIT ${limit}`.execute(db);
  return rows;
}

const BATCH = 500;

/** Everything that a receiver is still owed will not be sent. In small statements: there may be very much of it. */
export async function cancelPending(db: Kysely<ControlSchema>, receiver: string, now: number): Promise<void> {
  for (;;) {
    const { numAffectedRows = 0n } = await sql`
      UPDATE deliveries SET status = 'cancelled', finished_at = ${now}
      WHERE status = 'pending' AND id IN (
        SELECT id FROM deliveries WHERE receiver = ${receiver} AND status = 'pending' LIMIT ${sql.lit(BATCH)}
      )`.execute(db);
    if (numAffectedRows < BATCH) return;
    await new Promise(resolve => setImmediate(resolve));
  }
}
