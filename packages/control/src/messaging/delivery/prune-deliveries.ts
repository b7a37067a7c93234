import { DAY_MS, HOUR_MS } from "@tollgate/core/time/durations";
import { listOfTexts } from "@tollgate/storage/database/list-of";
import type { ControlDatabase } from "@tollgate/storage/database/open-control-database";
import type { ControlDb } from "@tollgate/storage/database/schema";
import { withoutSync } from "@tollgate/storage/database/without-sync";
import { repeatUntil } from "@tollgate/storage/following/repeat-until";
import { sql } from "kysely";

export const KEPT_MS = 30 * DAY_MS;

const EVERY_MS = HOUR_MS;
const BATCH = 500;
/** Pause between two batches, so that other writers do not wait long. */
const PAUSE_MS = 20;

type Database = Pick<ControlDatabase, "db" | "engine">;

/** Runs periodically until the signal. */
export async function keepPruning(
  database: Database,
  now: () => number,
  onFault: (fault: unknown) => void,
  signal: AbortSignal,
): Promise<void> {
  await repeatUntil(signal, EVERY_MS, () => pruneDeliveries(database, now(), signal), onFault);
}

/**
 * Deletes deliveries that ended more than thirty days ago, with their attempts, and all deliveries of deleted webhooks.
 * Goes from receiver to receiver along an index, one small transaction at a time. Resolves with the number deleted.
 */
export async function pruneDeliveries(
  database: Database,
  now: number,
  signal?: AbortSignal,
): Promise<number> {
  let removed = 0;
  let receiver = await nextReceiver(database, "");
  while (receiver !== null && !signal?.aborted) {
    const before = (await isOrphaned(database, receiver)) ? null : now - KEPT_MS;
    for (;;) {
      const ids = await readOld(database.db, receiver, before);
      if (ids.length > 0) await remove(database, ids);
      removed += ids.length;
      if (ids.length < BATCH || signal?.aborted) break;
      await Bun.sleep(PAUSE_MS);
    }
    receiver = await nextReceiver(database, receiver);
  }
  return removed;
}

async function nextReceiver({ db }: Database, after: string): Promise<string | null> {
  const row = await db
    .selectFrom("deliveries")
    .select(({ fn }) => fn.min<string | null>("receiver").as("receiver"))
    .where("receiver", ">", after)
    .executeTakeFirst();
  return row?.receiver ?? null;
}

async function isOrphaned({ db }: Database, receiver: string): Promise<boolean> {
  const one = await db
    .selectFrom("deliveries")
    .select("channel")
    .where("receiver", "=", receiver)
    .limit(1)
    .executeTakeFirst();
  if (one?.channel !== "webhook") return false;
  const webhook = await db.selectFrom("webhooks").select("id").where("id", "=", receiver).executeTakeFirst();
  return webhook === undefined;
}

/** `before` null: everything. What ended before a moment was also created before it, and creation time is indexed. */
async function readOld(db: ControlDb, receiver: string, before: number | null): Promise<readonly string[]> {
  let query = db.selectFrom("deliveries").select("id").where("receiver", "=", receiver);
  if (before !== null) query = query.where("created_at", "<", before).where("finished_at", "<", before);
  const rows = await query.orderBy("created_at").limit(BATCH).execute();
  return rows.map(({ id }) => id);
}

async function remove(database: Database, ids: readonly string[]): Promise<void> {
  const list = listOfTexts(database.engine, ids);
  await withoutSync(database, db =>
    db.transaction().execute(async transaction => {
      await sql`DELETE FROM delivery_attempts WHERE delivery_id IN ${list}`.execute(transaction);
      await sql`DELETE FROM deliveries WHERE id IN ${list}`.execute(transaction);
    }),
  );
}
