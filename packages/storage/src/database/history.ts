import type { ControlDb } from "./schema.ts";

/** What retention has removed. */
export interface History {
  /** Facts of calls admitted before are gone, except of those reported late; rollups are kept. 0: nothing is gone. */
  readonly beginsAtMs: number;
  /** The first event that the ledger has to keep; null: all. */
  readonly beginning: { readonly seq: number; readonly eventId: string } | null;
  /** After a rebuild: events up to this one that are older than `beginsAtMs` are already in the kept sums. */
  readonly countedSeq: number;
}

export async function readHistory(db: ControlDb): Promise<History> {
  const row = await db.selectFrom("history").selectAll().executeTakeFirstOrThrow();
  const { begins_seq: seq, begins_event_id: eventId } = row;
  return {
    beginsAtMs: row.begins_at,
    beginning: seq === null || eventId === null ? null : { seq, eventId },
    countedSeq: row.counted_seq,
  };
}

/** Whether a rebuild must not count an event again, because the sums of its time were kept. */
export function isInKeptSums(
  { beginsAtMs, countedSeq }: History,
  event: { readonly seq: number; readonly created_at: number },
): boolean {
  return event.seq <= countedSeq && event.created_at < beginsAtMs;
}
