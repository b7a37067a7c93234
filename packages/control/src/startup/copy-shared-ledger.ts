import { describeFault, type Log } from "@tollgate/core/log";
import { Directory } from "@tollgate/storage/config/directory";
import type { ControlDatabase } from "@tollgate/storage/database/open-control-database";
import { Ledger } from "@tollgate/storage/ledger/ledger";
import { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { LedgerCopy } from "@tollgate/storage/shared-ledger/ledger-copy";
import { SHARED_LEDGER_CHANNEL } from "@tollgate/storage/shared-ledger/ship-ledger";

interface Paths {
  readonly ledgerPath: string;
  /** The budgets, to which every event is counted. */
  readonly controlPath: string;
}

export interface RunningCopy {
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
  const copy = new LedgerCopy(database, ledger, end, fault =>
    log("error", "could not copy the shared ledger; retrying", describeFault(fault)),
  );
  await copy.refresh();
  return {
    refresh: () => copy.refresh(),
    async run(signal) {
      const listening = database.listen?.(SHARED_LEDGER_CHANNEL, () => copy.wake(), signal);
      listening?.catch(fault =>
        log("warn", "no notifications from PostgreSQL; looking every second", describeFault(fault)),
      );
      await copy.run(signal);
    },
    close() {
      ledger.close();
      directory.close();
    },
  };
}
