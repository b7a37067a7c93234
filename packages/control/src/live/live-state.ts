import type { SequencedEvent } from "@tollgate/storage/ledger/ledger-reader";

/** Does a piece of the work when it is its turn; rejects once nobody wants the whole any more. */
export type SeedPieces = <Result>(work: () => Result | Promise<Result>) => Promise<Result>;

/**
 * A channel that shows how things stand. It is seeded from the read model, then counts on event by event, so that it
 * waits for no follower. Made when somebody watches it, dropped a while after nobody
 * does.
 */
export interface LiveState {
  /** The least time between two messages. */
  readonly pauseMs: number;
  /** Reads what there is, in pieces; resolves with the event of the ledger up to which that counts. */
  seed(pieces: SeedPieces): Promise<number>;
  /** An event after the seed; each once, in the order of the ledger. */
  add(event: SequencedEvent["event"]): void;
  /** Something happened that is worth a look: time went on, people changed something. */
  look(): void;
  /** What is new must not wait for the pause to end. */
  readonly isUrgent: boolean;
  /** The data of the next message; null: nothing that is shown has changed since the last time. */
  changes(): unknown;
  /** All of it, as the data of one message or several. */
  snapshot(): readonly unknown[];
}
