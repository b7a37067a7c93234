import type { LedgerPosition } from "../ledger/ledger-position.ts";

/** A batch that was taken. */
export interface Step {
  /** The last event of it. */
  readonly to: LedgerPosition;
  /** Nothing was derived from it: the position need not be stored at once. */
  readonly isEmpty: boolean;
}

/**
 * How far one reader has read the ledger. A batch is taken from a position that the caller has seen, and only if the
 * cursor is still there: a process that was paused and wakes up late cannot write.
 */
export interface Cursor<Tx> {
  position(): Promise<LedgerPosition>;
  /** Takes one batch and moves to its end. null: the cursor is not at `from` any more, and nothing was done. */
  advance<Done extends Step>(
    from: LedgerPosition,
    take: (transaction: Tx) => Done | Promise<Done>,
  ): Promise<Done | null>;
  /** Moves past events that nobody needs, unless the cursor is not at `from` any more. */
  skip(from: LedgerPosition, to: LedgerPosition): void;
  /** Reads a stored position again. Resolves with whether another process has moved it. */
  refresh(): Promise<boolean>;
  /** The position in memory may be wrong: it is found again before the next batch. */
  forget(): void;
}
