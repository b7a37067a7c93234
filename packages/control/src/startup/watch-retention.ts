import { describeFault, type Log } from "@tollgate/core/log";
import { readHistory } from "@tollgate/storage/database/history";
import type { ControlDatabase } from "@tollgate/storage/database/open-control-database";
import { endClosing } from "@tollgate/storage/database/partitions";
import { isLockFault } from "@tollgate/storage/engine/lock-fault";
import { repeatUntil } from "@tollgate/storage/following/repeat-until";
import { type RetentionParts, retainHistory } from "@tollgate/storage/read-model/retain-history";
import { earlierClock } from "@tollgate/storage/shared-ledger/postgres-clock";
import { removeSharedEvents } from "@tollgate/storage/shared-ledger/shared-history";
import {
  keepSharedPartitions,
  sharedEventPartitions,
} from "@tollgate/storage/shared-ledger/shared-partitions";

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
      if (isShared) await unlessInUse(log, () => keepSharedPartitions(parts.database.db));
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

async function unlessInUse(log: Log, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (fault) {
    if (!isLockFault(fault)) throw fault;
    log("warn", "a table is in use by a long query or a backup; its partitions are changed later");
  }
}

/** Before anything writes, with retention or without it: a crash may have left a constraint for a while of the past. */
export async function endInterruptedClosing({ db, engine }: ControlDatabase): Promise<void> {
  if (engine !== "postgres") return;
  await endClosing(db, sharedEventPartitions);
}
