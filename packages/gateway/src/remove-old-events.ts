import { describeFault, type Log } from "@tollgate/core/log";
import type { Directory } from "@tollgate/storage/config/directory";
import { Pause, repeatUntil } from "@tollgate/storage/following/repeat-until";
import type { Ledger } from "@tollgate/storage/ledger/ledger";
import type { Metrics } from "./metrics.ts";

const EVERY_MS = 10_000;
/** Less than a millisecond of work, so that no call waits for it; a checkpoint is due as after any other write. */
const EVENTS_PER_STEP = 50;
/** Leaves nine tenths of the time to calls. */
const PAUSE_MS = 10;

interface Parts {
  readonly ledger: Ledger;
  readonly directory: Directory;
  readonly metrics: Metrics;
  readonly log: Log;
}

/** Removes events that retention no longer keeps, as far as the control plane allows, until the signal. */
export async function removeOldEvents(
  { ledger, directory, metrics, log }: Parts,
  signal: AbortSignal,
): Promise<void> {
  let removed = 0;
  await repeatUntil(
    signal,
    EVERY_MS,
    async () => {
      const beginning = directory.ledgerBeginning();
      if (beginning === null) return;
      const { events, isMore } = await ledger.removeOldest(beginning, EVENTS_PER_STEP);
      removed += events;
      metrics.removedEvents += events;
      if (isMore) return new Pause(PAUSE_MS);
      if (removed > 0)
        log("info", "retention removed old events from the ledger", {
          events: removed,
          history_begins_at: new Date(beginning.atMs).toISOString(),
        });
      removed = 0;
    },
    fault => log("error", "old events could not be removed; retrying", describeFault(fault)),
  );
}
