/**
 * A place in the ledger as a reader remembers it: the number of an event, and which event that was. A restored ledger
 * gives the same numbers to other events.
 */
export interface LedgerPosition {
  readonly seq: number;
  /** null: before the first event, or written by a version that did not keep it. */
  readonly eventId: string | null;
}

export const LEDGER_START: LedgerPosition = { seq: 0, eventId: null };

export function isSamePosition(a: LedgerPosition, b: LedgerPosition): boolean {
  return a.seq === b.seq && a.eventId === b.eventId;
}

/** The ledger does not have the event that a reader stopped at: it is another one, or an older copy. */
export class LedgerDiverged extends Error {
  constructor(readonly place: LedgerPosition) {
    super(`the ledger does not have event ${place.eventId ?? "?"} at ${place.seq}`);
    this.name = "LedgerDiverged";
  }
}
