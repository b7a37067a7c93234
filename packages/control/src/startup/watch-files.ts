import type { Log } from "@tollgate/core/log";
import type { ControlDatabase } from "@tollgate/storage/database/open-control-database";
import { type FileState, watchDatabaseFile } from "@tollgate/storage/engine/database-file";
import { repeatUntil } from "@tollgate/storage/following/repeat-until";
import type { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";

const REOPEN_EVERY_MS = 200;

/**
 * Says when `control.db` or `ledger.db` is not the file any more that was opened. Another ledger is read as soon as it
 * can be: its readers find out themselves that it is another. Another `control.db` needs a new start; until then
 * nothing new is decided.
 */
export async function watchFiles(
  database: ControlDatabase,
  ledger: LedgerReader,
  log: Log,
  signal: AbortSignal,
): Promise<void> {
  const told = (path: string, consequence: string) => (state: FileState) => {
    if (state === "there") log("info", `${path} is there again`);
    else log("error", `${path} is ${state}: ${consequence}`);
  };
  const watches = [ledger, database].flatMap(({ file }) =>
    file === null
      ? []
      : watchDatabaseFile(
          file,
          told(
            file.path,
            file === ledger.file
              ? "reading the ledger that has its name, once there is one"
              : "nothing can be changed until the control plane is started again",
          ),
        ),
  );
  await repeatUntil(
    signal,
    REOPEN_EVERY_MS,
    async () => {
      if (ledger.file.state !== "replaced") return;
      ledger.reopen();
      log("warn", `${ledger.file.path} was replaced, and is read from now on`);
    },
    // The gateway has not made it yet.
    () => {},
  );
  for (const watch of watches) watch.close();
}
