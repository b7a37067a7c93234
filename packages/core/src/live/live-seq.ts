/**
 * The order of all messages on the live channel. An event's position is its ledger seq times a million, which leaves
 * room for alerts between two events, more than are ever raised without a call: one number says what a viewer has seen
 * of both. It is exact up to nine billion events.
 */
const STEP = 1_000_000;

export function seqOfEvent(ledgerSeq: number): number {
  return ledgerSeq * STEP;
}

/** The last event at or before this position. */
export function eventAtOrBefore(liveSeq: number): number {
  return Math.floor(liveSeq / STEP);
}

/**
 * The position of an alert after the event `ledgerSeq` and after `last`, the newest alert of its scope. null: all
 * positions before the next event are taken, and the alert waits for that event.
 */
export function seqOfAlert(ledgerSeq: number, last: number): number | null {
  const seq = Math.max(seqOfEvent(ledgerSeq), last) + 1;
  return seq < seqOfEvent(ledgerSeq + 1) ? seq : null;
}
