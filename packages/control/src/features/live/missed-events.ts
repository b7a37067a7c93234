import { eventAtOrBefore } from "@tollgate/core/live/live-seq";

/** Events of all organizations per block, because the ledger is scanned one block at a time. */
const EVENTS_PER_BLOCK = 2000;
/** Nothing farther back is counted, whichever organization the events belong to. */
const MAX_DISTANCE = 1_000_000;

/** A count in progress, from the newest event backwards. */
export interface MissedCount {
  readonly from: number;
  /** Everything after this was counted. */
  to: number;
  missed: number;
}

/**
 * Counts the events of one scope after a position. It counts backwards from the end of the ledger, so a viewer that
 * missed too many is detected after just that many; and the content of a full block never changes, so each block is
 * counted once for everybody.
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

  /** One piece of the count; false: there is more. */
  advance(count: MissedCount, limit: number): boolean {
    while (count.to > count.from && count.missed <= limit) {
      const block = Math.floor((count.to - 1) / EVENTS_PER_BLOCK);
      const start = Math.max(block * EVENTS_PER_BLOCK, count.from);
      const isWhole = count.to - start === EVENTS_PER_BLOCK;
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
