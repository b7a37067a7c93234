import type { Log } from "@tollgate/core/log";
import type { ControlDatabase } from "@tollgate/storage/database/open-control-database";
import { type FileState, watchDatabaseFile } from "@tollgate/storage/engine/database-file";
import { repeatUntil } from "@tollgate/storage/following/repeat-until";
import type { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";

const REOPEN_EVERY_MS = 200;

/**
 * Logs when `control.db` or `ledger.db` is no longer the file that was opened. A new ledger is opened as soon as
 * possible, and its followers detect that it is another one. A new `control.db` requires a restart; until then changes
 * are refused.
 */
export async function watchFiles(
  database: ControlDatabase,
  ledger: LedgerReader,
  log: Log,
  signal: AbortSignal,
): Promise<void> {
  const report = (path: string, consequence: string) => (state: FileState) => {
    if (state === "there") log("info", `${path} is back`);
    else log("error", `${path} is ${state}: ${consequence}`);
  };
  const watches = [ledger, database].flatMap(({ file }) =>
    file === null
      ? []
      : watchDatabaseFile(
          file,
          report(
            file.path,
            file === ledger.file
              ? "waiting for a new ledger at this path"
              : "nothing can be changed until the control plane is restarted",
          ),
        ),
  );
  await repeatUntil(
    signal,
    REOPEN_EVERY_MS,
    async () => {
      if (ledger.file.state !== "replaced") return;
      ledger.reopen();
      log("warn", `${ledger.file.path} was replaced; reading the new file`);
    },
    // The gateway has not created it yet.
    () => {},
  );
  for (const watch of watches) watch.close();
}
