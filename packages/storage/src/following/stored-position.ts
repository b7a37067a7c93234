import type { Engine } from "../database/open-control-database.ts";
import type { ControlDb } from "../database/schema.ts";
import type { LedgerPosition } from "../ledger/ledger-position.ts";

/**
 * The column's only value. A reader has one position: the ledger it reads has one order, also on several machines. Where
 * each node needs its own (`ship-ledger.ts`), the node is in the reader's name.
 */
const LOCAL_NODE = "local";

const cursorOf = (db: ControlDb, reader: string) =>
  db
    .selectFrom("cursors")
    .select(["position as seq", "event_id as eventId"])
    .where("reader", "=", reader)
    .where("node", "=", LOCAL_NODE);

/** null: this reader has never started. */
export async function readPosition(db: ControlDb, reader: string): Promise<LedgerPosition | null> {
  return (await cursorOf(db, reader).executeTakeFirst()) ?? null;
}

/** The same, locked until the end of the transaction: two processes with the same reader take turns. */
export async function lockPosition(
  transaction: ControlDb,
  engine: Engine,
  reader: string,
): Promise<LedgerPosition | null> {
  const query = cursorOf(transaction, reader);
  // A SQLite transaction locks the whole database.
  return (await (engine === "postgres" ? query.forUpdate() : query).executeTakeFirst()) ?? null;
}

/** Only the seq; 0: this reader has never started. */
export async function readSeq(db: ControlDb, reader: string): Promise<number> {
  return (await readPosition(db, reader))?.seq ?? 0;
}

/** Creates the row; an existing one is kept. */
export async function beginPosition(
  db: ControlDb,
  reader: string,
  { seq, eventId }: LedgerPosition,
): Promise<void> {
  await db
    .insertInto("cursors")
    .values({ reader, node: LOCAL_NODE, position: seq, event_id: eventId })
    .onConflict(conflict => conflict.doNothing())
    .execute();
}

export async function movePosition(
  db: ControlDb,
  reader: string,
  { seq, eventId }: LedgerPosition,
): Promise<void> {
  await db
    .updateTable("cursors")
    .set({ position: seq, event_id: eventId })
    .where("reader", "=", reader)
    .where("node", "=", LOCAL_NODE)
    .execute();
}
