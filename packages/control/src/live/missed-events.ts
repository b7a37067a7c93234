import { eventAtOrBefore } from "@tollgate/core/live/live-seq";

/** Of all organizations: the ledger is read from end to end, a piece of it at a time. */
const EVENTS_A_BLOCK = 2000;
/** Farther back than this nothing is looked for, whoever's events they are. */
const MAX_DISTANCE = 1_000_000;

/** A count that is under way, from the newest event back. */
export interface MissedCount {
  readonly from: number;
  /** Everything after this was counted. */
  to: number;
  missed: number;
}

/**
 * Counts the events of one scope after a place. From the end of the ledger back, so that who has missed too many is
 * known after those; and what a whole block of the ledger holds never changes, so each is counted once for everybody.
 */
export class MissedEvents {
  readonly #blocks = new Map<number, number>();

  constructor(private readonly countOf: (after: number, upTo: number) => number) {}

  /** null: too far back to count. */
  begin(position: number, published: number): MissedCount | null {
    const from = eventAtOrBefore(position);
    const to = eventAtOrBefore(published);
    return to - from > MAX_DISTANCE ? null : { from, to, missed: 0 };
  }

  /** One piece of the work; false: there is more of it. */
  goOn(count: MissedCount, limit: number): boolean {
    while (count.to > count.from && count.missed <= limit) {
      const block = Math.floor((count.to - 1) / EVENTS_A_BLOCK);
      const start = Math.max(block * EVENTS_A_BLOCK, count.from);
      const isWhole = count.to - start === EVENTS_A_BLOCK;
      const known = isWhole ? this.#blocks.get(block) : undefined;
      const found = known ?? this.countOf(start, count.to);
      if (isWhole) this.#blocks.set(block, found);
      count.missed += found;
      count.to = start;
      if (known === undefined) return count.to <= count.from || count.missed > limit;
    }
    return true;
  }
}
