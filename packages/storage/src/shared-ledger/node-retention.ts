import { DAY_MS } from "@tollgate/core/time/durations";
import type { LedgerBeginning } from "../ledger/event-removal.ts";
import { keptSince } from "../ledger/kept-since.ts";
import type { LedgerPosition } from "../ledger/ledger-position.ts";
import type { LedgerReader } from "../ledger/ledger-reader.ts";

/** The ledger has no index by time: how many events are looked at to find the first one to keep. */
const EVENTS_PER_LOOK = 50_000;

/** Decides what a node's own ledger keeps: everything that is new enough, or not in PostgreSQL yet. */
export class NodeRetention {
  #foundSeq = 0;

  constructor(
    private readonly ledger: LedgerReader,
    /** null: everything is kept. */
    private readonly days: number | null,
  ) {}

  /** The first event to keep; null: all. */
  keptFrom(shipped: LedgerPosition | null, nowMs: number): LedgerBeginning | null {
    const { ledger, days } = this;
    // If the ledger lacks its last shipped event, it is unknown which of its events were shipped.
    if (days === null || shipped === null || shipped.seq === 0 || !ledger.has(shipped)) return null;
    const atMs = Math.floor(keptSince(ledger, days, nowMs) / DAY_MS) * DAY_MS;
    const from = Math.max(this.#foundSeq, ledger.oldestSeq());
    const upTo = Math.min(shipped.seq, from + EVENTS_PER_LOOK);
    const { seq, eventId } = ledger.firstSince(atMs, from, upTo) ?? ledger.lastPositionUpTo(upTo);
    if (eventId === null) return null;
    this.#foundSeq = seq;
    return { seq, eventId, atMs };
  }
}
