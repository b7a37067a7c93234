import type { SequencedEvent } from "@tollgate/storage/ledger/ledger-reader";

/** Runs a piece of the work when its turn comes; rejects once the result is no longer needed. */
export type SeedPieces = <Result>(work: () => Result | Promise<Result>) => Promise<Result>;

/**
 * A channel that shows a current state. It is seeded from the read model and then counts event by event, so it waits
 * for no follower. Created when somebody watches it, dropped a while after the last viewer leaves.
 */
export interface LiveState {
  /** Minimum time between two messages. */
  readonly pauseMs: number;
  /** Reads the read model in pieces; resolves with the ledger seq that the seed includes. */
  seed(pieces: SeedPieces): Promise<number>;
  /** An event after the seed; each once, in ledger order. */
  add(event: SequencedEvent["event"]): void;
  /** Called when time has passed or settings have changed. */
  refresh(): void;
  /** Whether the change should be sent without waiting for the pause to end. */
  readonly isUrgent: boolean;
  /** The data of the next message; null: nothing visible has changed since the last one. */
  changes(): unknown;
  /** The full state, as the data of one message or several. */
  snapshot(): readonly unknown[];
}
