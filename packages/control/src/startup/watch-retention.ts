import { describeFault, type Log } from "@tollgate/core/log";
import { readHistory } from "@tollgate/storage/database/history";
import { repeatUntil } from "@tollgate/storage/following/repeat-until";
import { type RetentionParts, retainHistory } from "@tollgate/storage/read-model/retain-history";
import { earlierClock } from "@tollgate/storage/shared-ledger/postgres-clock";
import { removeSharedEvents } from "@tollgate/storage/shared-ledger/shared-history";

const EVERY_MS = 60_000;

interface Parts extends RetentionParts {
  /** On several machines: the ledger is a copy of the one in PostgreSQL. */
  readonly isShared: boolean;
  readonly log: Log;
}

/** Removes what is older than the configured number of days, until the signal. */
export async function watchRetention({ isShared, log, ...parts }: Parts, signal: AbortSignal): Promise<void> {
  await repeatUntil(
    signal,
    EVERY_MS,
    async () => {
      const nowMs = await earlierClock(parts.database, parts.now());
      const facts = await retainHistory({ ...parts, now: () => nowMs }, signal);
      const events = isShared ? await removeSharedEvents(parts.database.db, signal) : 0;
      if (events > 0) log("info", "retention removed old events from the shared ledger", { events });
      if (facts === 0) return;
      const { beginsAtMs } = await readHistory(parts.database.db);
      log("info", "retention removed old calls from the read model; rollups are kept", {
        calls: facts,
        history_begins_at: new Date(beginsAtMs).toISOString(),
      });
    },
    fault => log("error", "retention was interrupted; retrying", describeFault(fault)),
  );
}
