import type { Kysely } from "kysely";
import type { Engine } from "../database/open-control-database.ts";
import type { ControlSchema } from "../database/schema.ts";
import type { LedgerPosition } from "../ledger/ledger-position.ts";

type Database = Kysely<ControlSchema>;

/** null: this reader has never begun. Locked until the end of the transaction: two readers of one name take turns. */
export async function readPosition(
  db: Database,
  engine: Engine,
  name: string,
  how: "locked" | "as it is" = "as it is",
): Promise<LedgerPosition | null> {
  const query = db
    .selectFrom("cursors")
    .select(["position as seq", "event_id as eventId"])
    .where("name", "=", name);
  const isLocked = how === "locked" && engine === "postgres";
  return (await (isLocked ? query.forUpdate() : query).executeTakeFirst()) ?? null;
}

/** Makes the row; one that is there stays as it is. */
export async function beginPosition(
  db: Database,
  name: string,
  { seq, eventId }: LedgerPosition,
): Promise<void> {
  await db
    .insertInto("cursors")
    .values({ name, position: seq, event_id: eventId })
    .onConflict(conflict => conflict.doNothing())
    .execute();
}

export async function movePosition(
  db: Database,
  name: string,
  { seq, eventId }: LedgerPosition,
): Promise<void> {
  await db
    .updateTable("cursors")
    .set({ position: seq, event_id: eventId })
    .where("name", "=", name)
    .execute();
}
