import type { LedgerPosition } from "@tollgate/storage/ledger/ledger-position";
import type { EventSummary, LedgerReader } from "@tollgate/storage/ledger/ledger-reader";

/** A position is dated by the latest of the events before it, because a single one may arrive late. */
const EVENTS_TO_DATE_A_POSITION = 100;

/** How far time is known: an hour can only be judged once the ledger was read beyond its end. */
export class AlertClock {
  #knownUntil = 0;
  /** Up to this event, alerts that were raised before may not be known: none is ended. */
  #backlogEnd = 0;

  constructor(
    private readonly ledger: LedgerReader,
    private readonly now: () => number,
  ) {}

  /** Everything, once the newest event was passed; else the time of the last one that was. */
  get knownUntil(): number {
    return this.#knownUntil;
  }

  /** Alerts may be ended at this position. */
  isPastBacklog({ seq }: LedgerPosition): boolean {
    return seq >= this.#backlogEnd;
  }

  /** Everything that is in the ledger now is backlog. */
  beginBacklog(): void {
    this.#backlogEnd = this.ledger.newestSeq();
  }

  startAt(position: LedgerPosition): void {
    this.beginBacklog();
    const isAtEnd = this.isPastBacklog(position);
    this.#knownUntil = isAtEnd ? Number.POSITIVE_INFINITY : (this.timeOf(position) ?? 0);
  }

  /** `upTo` is the last of these events. */
  pass(events: readonly EventSummary[], { seq: upTo }: LedgerPosition): void {
    const now = this.now();
    this.#knownUntil =
      upTo >= this.ledger.newestSeq()
        ? Number.POSITIVE_INFINITY
        : events.reduce((latest, { created_at }) => Math.max(latest, Math.min(created_at, now)), 0);
  }

  /** null: before the first event. */
  timeOf({ seq }: LedgerPosition): number | null {
    return this.ledger
      .summariesBetween(Math.max(0, seq - EVENTS_TO_DATE_A_POSITION), seq)
      .reduce<number | null>((latest, event) => Math.max(latest ?? 0, event.created_at), null);
  }
}
