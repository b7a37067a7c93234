/**
 * A reader's position in the ledger: an event's seq and id. Both, because a restored ledger assigns the same seqs to
 * other events.
 */
export interface LedgerPosition {
  readonly seq: number;
  /** null: before the first event, or stored by a version that did not record it. */
  readonly eventId: string | null;
}

export const LEDGER_START: LedgerPosition = { seq: 0, eventId: null };

export function isSamePosition(a: LedgerPosition, b: LedgerPosition): boolean {
  return a.seq === b.seq && a.eventId === b.eventId;
}

/** The ledger does not have the event at a reader's position: it is another ledger, or an older copy. */
export class LedgerDiverged extends Error {
  constructor(readonly place: LedgerPosition) {
    super(`the ledger does not have event ${place.eventId ?? "?"} at ${place.seq}`);
    this.name = "LedgerDiverged";
  }
}
