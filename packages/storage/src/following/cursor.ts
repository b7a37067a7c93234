import type { LedgerPosition } from "../ledger/ledger-position.ts";

/** A consumed batch. */
export interface Step {
  /** Its last event. */
  readonly to: LedgerPosition;
  /** Nothing was derived from it, so storing the position can wait. */
  readonly isEmpty: boolean;
}

/**
 * How far one reader has read the ledger. A batch is consumed only if the cursor is still at the position where the
 * batch began, so a process that was paused and wakes up late cannot write.
 */
export interface Cursor<Tx> {
  /** Other writers wait until a batch is committed. */
  readonly delaysWriters: boolean;
  position(): Promise<LedgerPosition>;
  /** Consumes one batch and moves to its end. null: the cursor is no longer at `from`, and nothing was done. */
  advance<Done extends Step>(
    from: LedgerPosition,
    apply: (transaction: Tx) => Done | Promise<Done>,
  ): Promise<Done | null>;
  /** Moves past events that are not needed, unless the cursor is no longer at `from`. */
  skip(from: LedgerPosition, to: LedgerPosition): void;
  /** Stores the position in memory, if it is ahead of the stored one; absent: it is not stored. */
  store?(): Promise<void>;
  /** Rereads a stored position. Resolves with whether another process has moved it. */
  refresh(): Promise<boolean>;
  /** Discards the position in memory, which may be wrong; it is read again before the next batch. */
  forget(): void;
}
