/**
 * The one order of the live channel. An event stands at its place in the ledger times a million, which leaves room
 * for alerts between two events, more than are raised while nobody calls: what has been seen is one number for both.
 * It is exact up to nine billion events.
 */
const STEP = 1_000_000;

export function seqOfEvent(ledgerSeq: number): number {
  return ledgerSeq * STEP;
}

/** The last event that stands at or before this place. */
export function eventAtOrBefore(liveSeq: number): number {
  return Math.floor(liveSeq / STEP);
}

/**
 * The place of an alert that is told after the event `ledgerSeq` and after `last`, the newest alert of its scope.
 * null: all places before the next event are taken, and the alert has to wait for that event.
 */
export function seqOfAlert(ledgerSeq: number, last: number): number | null {
  const seq = Math.max(seqOfEvent(ledgerSeq), last) + 1;
  return seq < seqOfEvent(ledgerSeq + 1) ? seq : null;
}
