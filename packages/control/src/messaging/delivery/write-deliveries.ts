import type { Engine } from "@tollgate/storage/database/open-control-database";
import type { ControlDb } from "@tollgate/storage/database/schema";
import { type Upsert, upsertRows } from "@tollgate/storage/database/upsert-rows";
import type { Delivery } from "./delivery.ts";

const inserted: Upsert = {
  table: "deliveries",
  columns: [
    "id",
    "org_id",
    "mode",
    "channel",
    "receiver",
    "kind",
    "subject_id",
    "body",
    "status",
    "tries",
    "next_attempt_at",
    "first_tried_at",
    "created_at",
    "finished_at",
  ],
  // After a power cut deliveries are created again, although some may have survived.
  key: ["id"],
  add: [],
};

/** The only insert into the table. An existing delivery stays unchanged. */
export async function writeDeliveries(
  db: ControlDb,
  engine: Engine,
  rows: readonly Delivery[],
): Promise<void> {
  await upsertRows(
    db,
    engine,
    inserted,
    rows.map(row => [
      row.id,
      row.org_id,
      row.mode,
      row.channel,
      row.receiver,
      row.kind,
      row.subject_id,
      row.body,
      row.status,
      row.tries,
      row.next_attempt_at,
      row.first_tried_at,
      row.created_at,
      row.finished_at,
    ]),
  );
}
