import type { ControlDatabase } from "@tollgate/storage/database/open-control-database";
import type { ControlDb } from "@tollgate/storage/database/schema";
import { withoutSync } from "@tollgate/storage/database/without-sync";
import { sql } from "kysely";
import type { Delivery } from "./delivery.ts";

// `status = 'pending'` is literal in every statement here: with a parameter neither engine would use the partial
// index on pending rows (`deliveries_due`), and each query would scan everything ever sent.

/** One receiver's due deliveries, oldest first. */
export async function readDue(
  db: ControlDb,
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

/** When the receiver's next delivery after `now` is due; null: none. */
export async function nextDueAfter(db: ControlDb, receiver: string, now: number): Promise<number | null> {
  const { rows } = await sql<{ at: number }>`
    SELECT next_attempt_at AS at FROM deliveries
    WHERE receiver = ${receiver} AND status = 'pending' AND next_attempt_at > ${now}
    ORDER BY next_attempt_at LIMIT 1`.execute(db);
  return rows[0]?.at ?? null;
}

interface WaitingReceiver {
  readonly receiver: string;
  readonly next_attempt_at: number;
}

/**
 * Receivers with pending deliveries and when their first is due, a page at a time, ordered by receiver. It skips from
 * one receiver to the next, however many deliveries each has.
 */
export async function readReceivers(
  db: ControlDb,
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

/** Whether a webhook exists and is enabled. */
export async function isListening(db: ControlDb, id: string): Promise<boolean> {
  const row = await db
    .selectFrom("webhooks")
    .select("id")
    .where("id", "=", id)
    .where("disabled_at", "is", null)
    .executeTakeFirst();
  return row !== undefined;
}

const BATCH = 500;

/**
 * Cancels a receiver's deliveries that were pending at this moment; later ones are for a webhook that was enabled again.
 * Uses small statements because there may be very many rows. Stopping in the middle is safe: the rest is withdrawn when
 * it is attempted.
 */
export async function cancelPending(
  database: Pick<ControlDatabase, "db" | "engine">,
  receiver: string,
  at: number,
  isStopped: () => boolean = () => false,
): Promise<void> {
  // Never waits for a recorder's row locks, or two holders could deadlock.
  const locked = database.engine === "postgres" ? sql`FOR UPDATE SKIP LOCKED` : sql``;
  while (!isStopped()) {
    // `+` keeps both engines off the index by time, which would scan everything ever sent.
    const { numAffectedRows = 0n } = await withoutSync(database, db =>
      sql`
        UPDATE deliveries SET status = 'cancelled', finished_at = ${at}
        WHERE status = 'pending' AND id IN (
          SELECT id FROM deliveries
          WHERE receiver = ${receiver} AND status = 'pending' AND +created_at <= ${at}
          LIMIT ${sql.lit(BATCH)} ${locked}
        )`.execute(db),
    );
    if (numAffectedRows < BATCH) return;
    await new Promise(resolve => setImmediate(resolve));
  }
}
