import { existsSync, rmSync } from "node:fs";
import { describeFault, type Log } from "@tollgate/core/log";
import { Directory } from "@tollgate/storage/config/directory";
import type { ControlDatabase } from "@tollgate/storage/database/open-control-database";
import { removeOldEvents } from "@tollgate/storage/following/remove-old-events";
import { Ledger } from "@tollgate/storage/ledger/ledger";
import { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { CopyDiverged, LedgerCopy } from "@tollgate/storage/shared-ledger/ledger-copy";
import { readSharedBeginning } from "@tollgate/storage/shared-ledger/shared-beginning";
import { SHARED_LEDGER_CHANNEL } from "@tollgate/storage/shared-ledger/ship-ledger";

interface Paths {
  readonly ledgerPath: string;
  /** The budgets, to which every event is counted. */
  readonly controlPath: string;
}

export interface RunningCopy {
  /** This machine cannot copy what PostgreSQL has. */
  readonly isStuck: boolean;
  /** PostgreSQL no longer has its last event. */
  readonly isDiverged: boolean;
  refresh(): Promise<void>;
  run(signal: AbortSignal): Promise<void>;
  close(): void;
}

/** Opens this machine's copy of the shared ledger, and brings it up to date. */
export async function copySharedLedger(
  database: ControlDatabase,
  { ledgerPath, controlPath }: Paths,
  log: Log,
): Promise<RunningCopy> {
  await removeOutdated(database, ledgerPath, log);
  const directory = new Directory(controlPath);
  const ledger = new Ledger(
    ledgerPath,
    "normal",
    fault => log("error", "the copy of the ledger cannot be written; retrying", describeFault(fault)),
    { budgets: directory },
  );
  const reader = new LedgerReader(ledgerPath);
  const end = reader.newestPosition();
  reader.close();
  const copy = await LedgerCopy.open(database, ledger, end, fault => {
    const message =
      fault instanceof CopyDiverged ? fault.message : "could not copy the shared ledger; retrying";
    log("error", message, describeFault(fault));
  });
  await copy.refresh();
  return {
    get isStuck() {
      return copy.isStuck;
    },
    get isDiverged() {
      return copy.isDiverged;
    },
    refresh: () => copy.refresh(),
    async run(signal) {
      const listening = database.listen?.(SHARED_LEDGER_CHANNEL, () => copy.wake(), signal);
      listening?.catch(fault =>
        log("warn", "no notifications from PostgreSQL; looking every second", describeFault(fault)),
      );
      await Promise.all([
        copy.run(signal),
        removeOldEvents({ ledger, beginning: () => directory.ledgerBeginning(), log }, signal),
      ]);
    },
    close() {
      ledger.close();
      directory.close();
    },
  };
}

/** A copy that ends before the shared ledger begins cannot be continued; a new one has everything that is left. */
async function removeOutdated(database: ControlDatabase, ledgerPath: string, log: Log): Promise<void> {
  if (!existsSync(ledgerPath)) return;
  const { position } = await readSharedBeginning(database.db);
  if (position === 0) return;
  const reader = new LedgerReader(ledgerPath);
  const end = reader.newestSeq();
  reader.close();
  if (end === 0 || end >= position) return;
  for (const suffix of ["", "-wal", "-shm", "-intents"]) rmSync(ledgerPath + suffix, { force: true });
  log("warn", "the copy of the shared ledger ends before its history begins; making a new one", {
    copy_ends_at: end,
    history_begins_at_position: position,
  });
}
