import { describeFault, type Log } from "@tollgate/core/log";
import type { LedgerBeginning } from "../ledger/event-removal.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { Pause, repeatUntil } from "./repeat-until.ts";

const EVERY_MS = 10_000;
/** Less than a millisecond of work, so that no call waits for it; a checkpoint is due as after any other write. */
const EVENTS_PER_STEP = 50;
/** Leaves nine tenths of the time to calls. */
const PAUSE_MS = 10;

interface Parts {
  readonly ledger: Ledger;
  /** The first event to keep; null: all. */
  readonly beginning: () => LedgerBeginning | null;
  readonly onRemoved?: (events: number) => void;
  readonly log: Log;
}

/** Removes the events that retention no longer keeps from a ledger, as far as it is allowed, until the signal. */
export async function removeOldEvents(
  { ledger, beginning, onRemoved, log }: Parts,
  signal: AbortSignal,
): Promise<void> {
  let removed = 0;
  await repeatUntil(
    signal,
    EVERY_MS,
    async () => {
      const first = beginning();
      if (first === null) return;
      const { events, isMore } = await ledger.removeOldest(first, EVENTS_PER_STEP);
      removed += events;
      onRemoved?.(events);
      if (isMore) return new Pause(PAUSE_MS);
      if (removed > 0)
        log("info", "retention removed old events from the ledger", {
          events: removed,
          history_begins_at: new Date(first.atMs).toISOString(),
        });
      removed = 0;
    },
    fault => log("error", "old events could not be removed; retrying", describeFault(fault)),
  );
}
