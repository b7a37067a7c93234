import { describeFault, type Log } from "@tollgate/core/log";
import { readHistory } from "@tollgate/storage/database/history";
import type { ControlDatabase } from "@tollgate/storage/database/open-control-database";
import { endClosing, unlessInUse } from "@tollgate/storage/database/partitions";
import { repeatUntil } from "@tollgate/storage/following/repeat-until";
import { factPartitions } from "@tollgate/storage/read-model/deriving/fact-partitions";
import { type RetentionParts, retainHistory } from "@tollgate/storage/read-model/deriving/retain-history";
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
  const onTableInUse = () =>
    log("warn", "a table is in use by a long query or a backup; its partitions are changed later");
  let isWarned = false;
  const onFutureCall = () => {
    if (!isWarned)
      log(
        "warn",
        "a call is from the future: until then PostgreSQL reuses the space of old calls, but does not give it back",
      );
    isWarned = true;
  };
  await repeatUntil(
    signal,
    EVERY_MS,
    async () => {
      const nowMs = await earlierClock(parts.database, parts.now());
      const facts = await retainHistory({ ...parts, now: () => nowMs, onTableInUse, onFutureCall }, signal);
      const events = isShared ? await removeSharedEvents(parts.database.db, signal) : 0;
      if (isShared) await unlessInUse(onTableInUse, () => keepSharedPartitions(parts.database.db));
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

/**
 * A crash while a partition was closed leaves a constraint that will refuse new calls some day. Called with retention or without
 * it, before anything is written.
 */
export async function endInterruptedClosing({ db, engine }: ControlDatabase): Promise<void> {
  if (engine !== "postgres") return;
  for (const table of [factPartitions, sharedEventPartitions]) await endClosing(db, table);
}
