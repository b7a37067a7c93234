import type { ControlDb } from "../database/schema.ts";

/** Where the shared ledger begins after retention. */
interface SharedBeginning {
  /** The first event that is kept; 0: none was removed. */
  readonly position: number;
  /** All events before it were admitted before this moment. */
  readonly atMs: number;
}

export async function readSharedBeginning(db: ControlDb): Promise<SharedBeginning> {
  const row = await db
    .selectFrom("shared_ledger_end")
    .select(["begins_position", "begins_at"])
    .executeTakeFirstOrThrow();
  return { position: row.begins_position, atMs: row.begins_at };
}
