import type { EventSummary } from "@tollgate/storage/ledger/event-parts";
import type { LedgerPosition } from "@tollgate/storage/ledger/ledger-position";
import type { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";

/** A position is dated by the latest of the preceding events, because a single event may arrive late. */
const DATING_EVENTS = 100;

/** Tracks how far time is known: an hour can be judged only once the ledger has been read beyond its end. */
export class AlertClock {
  #knownUntil = 0;
  /** Up to this event, calls that keep an alert open may still be unread, so none is resolved. */
  #backlogEnd = 0;

  constructor(
    private readonly ledger: LedgerReader,
    private readonly now: () => number,
  ) {}

  /** Infinite once the newest event has been read; otherwise the time of the last event read. */
  get knownUntil(): number {
    return this.#knownUntil;
  }

  /** Whether alerts may be resolved at this position. */
  isPastBacklog({ seq }: LedgerPosition): boolean {
    return seq >= this.#backlogEnd;
  }

  /** Everything in the ledger now is backlog. */
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
      .summariesBetween(Math.max(0, seq - DATING_EVENTS), seq)
      .reduce<number | null>((latest, event) => Math.max(latest ?? 0, event.created_at), null);
  }
}
