import type { LedgerPosition } from "../ledger/ledger-position.ts";
import type { LedgerRepair } from "./ledger-continuity.ts";

/** Consecutive events of the ledger, as far as the consumer reads them. */
export interface Batch<Events> {
  readonly from: LedgerPosition;
  readonly to: LedgerPosition;
  readonly events: Events;
}

/** What became of a batch. */
export interface Taken {
  /** The last event that was dealt with; absent: the last one of the batch. */
  readonly upTo?: LedgerPosition;
  /** Nothing was written: the position need not be stored at once. */
  readonly isEmpty?: boolean;
  /** Runs after the commit. */
  readonly afterCommit?: () => void;
}

/** What one reader does with the events of the ledger; the follower does everything else. */
export interface Consumer<Events, Tx> {
  /** Its name, and what happens to its rows when the ledger has lost events. */
  readonly repair: LedgerRepair;
  /** Events in one transaction. */
  readonly batchSize: number;
  readonly pollMs: number;
  /** Which events it reads, of those after one number and up to another, inclusive. */
  read(after: number, upTo: number): Events;
  /** Derives what follows from a batch, in the transaction that moves the cursor. */
  take(batch: Batch<Events>, transaction: Tx): Taken | Promise<Taken>;
  /** The last event that may be taken now. Asked before a transaction (null), and again inside it. */
  limit?(transaction: Tx | null): number | Promise<number>;
  /** false: nobody needs any event up to now, so all are skipped. */
  hasWork?(): boolean | Promise<boolean>;
  /** Before the first batch, and again after `forget`. Resolves with false if the signal cut it short. */
  prepare?(at: LedgerPosition, signal: AbortSignal | undefined): Promise<boolean>;
  /** Other work between two batches. Resolves with whether there is more of it. */
  upkeep?(): Promise<boolean>;
  /** How often `upkeep` is called at most, while following; 0 or absent: after each batch and each poll. */
  readonly upkeepEveryMs?: number;
  /** What is in memory may be wrong: a batch failed, the cursor was moved, or the ledger was repaired. */
  forget?(): void;
}
