import type { Pulse } from "../engine/pulse.ts";
import type { LedgerPosition } from "../ledger/ledger-position.ts";
import type { LedgerRepair } from "./ledger-continuity.ts";

/** Consecutive events of the ledger, reduced to what the consumer reads. */
export interface Batch<Events> {
  readonly from: LedgerPosition;
  readonly to: LedgerPosition;
  readonly events: Events;
}

/** The result of applying a batch. */
export interface Applied {
  /** The last event that was applied; absent: the last one of the batch. */
  readonly upTo?: LedgerPosition;
  /** Nothing was written, so storing the position can wait. */
  readonly isEmpty?: boolean;
  /** Runs after the commit. */
  readonly afterCommit?: () => void;
}

/** What one reader does with the ledger's events; the follower does everything else. */
export interface Consumer<Events, Tx> {
  /** Its name, and how to repair its rows after the ledger has lost events. */
  readonly repair: LedgerRepair;
  /** Events per transaction. */
  readonly batchSize: number;
  /**
   * Events per transaction while there is a backlog, as far as such batches stay short where others wait for them;
   * absent: `batchSize`.
   */
  readonly largestBatch?: number;
  /** Minimum interval between two reads when it has caught up, so that a batch is worth its transaction. */
  readonly pollMs: number;
  /** Reads its events after one seq and up to another, inclusive. */
  read(after: number, upTo: number): Events;
  /** Writes what it derives from a batch, in the transaction that moves the cursor. */
  apply(batch: Batch<Events>, transaction: Tx): Applied | Promise<Applied>;
  /** The last event that may be consumed now. Called before a transaction (with null), and again inside it. */
  limit?(transaction: Tx | null): number | Promise<number>;
  /** false: no event up to now is needed, so all are skipped. */
  hasWork?(): boolean | Promise<boolean>;
  /** Called before the first batch, and again after `forget`. Resolves with false if the signal interrupted it. */
  prepare?(at: LedgerPosition, signal: AbortSignal | undefined): Promise<boolean>;
  /** Other work between two batches. Resolves with whether there is more. */
  upkeep?(): Promise<boolean>;
  /** Interval between calls of `upkeep` while following; 0 or absent: after each batch, and every `pollMs`. */
  readonly upkeepEveryMs?: number;
  /** Nothing is left to do in `upkeep` until the ledger or this database changes; null or absent: that is unknown. */
  readonly upkeepOn?: Pulse | null;
  /** Discards state in memory, which may be wrong: a batch failed, the cursor was moved, or the ledger was repaired. */
  forget?(): void;
}
