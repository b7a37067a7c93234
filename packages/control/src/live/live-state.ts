import type { StateChannel } from "@tollgate/core/live/live-channels";
import type { SequencedEvent } from "@tollgate/storage/ledger/ledger-reader";

/**
 * A channel that shows how things stand. It is seeded from the read model, then counts on event by event, so that it
 * waits for no follower. Made when somebody watches it, dropped when nobody does.
 */
export interface LiveState {
  readonly channel: StateChannel;
  /** The least time between two messages. */
  readonly pauseMs: number;
  /** Reads what there is; resolves with the event of the ledger up to which that counts. */
  seed(): Promise<number>;
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
