import { type DividedTable, dropPartitions, extendPartitions } from "../database/partitions.ts";
import type { ControlDb } from "../database/schema.ts";

/** Ids are unique in all of it, because those who append look for them under a lock (`append-shared.ts`). */
export const sharedEventPartitions: DividedTable = {
  name: "shared_events",
  column: "position",
  key: ["org_id", "id"],
};

/** Each new partition has this part of the events, so their number grows only slowly even if nothing is removed. */
const PARTS = 8;
/** About 150 MB. */
const SMALLEST_PARTITION = 100_000;

/** Drops partitions whose events retention has removed, and makes the next ones before they are needed. */
export async function keepSharedPartitions(db: ControlDb, smallest = SMALLEST_PARTITION): Promise<void> {
  const end = await db.selectFrom("shared_ledger_end").selectAll().executeTakeFirstOrThrow();
  await dropPartitions(db, sharedEventPartitions, end.begins_position);
  const width = Math.max(smallest, Math.ceil((end.position - end.begins_position) / PARTS));
  await extendPartitions(db, sharedEventPartitions, { until: end.position + width, width });
}
