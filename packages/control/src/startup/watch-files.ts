import { describeFault, type Log } from "@tollgate/core/log";
import type { ControlDatabase } from "@tollgate/storage/database/open-control-database";
import { CHECK_FILE_EVERY_MS, type FileState, fileCheck } from "@tollgate/storage/engine/database-file";
import { Pause, repeatUntil } from "@tollgate/storage/following/repeat-until";
import type { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";

const REOPEN_EVERY_MS = 200;

/**
 * Logs when `control.db` or `ledger.db` is no longer the file that was opened. A new ledger is opened as soon as
 * possible, and its followers detect that it is another one. While `control.db` is lost, changes are refused until
 * Tollgate is restarted.
 */
export async function watchFiles(
  database: ControlDatabase,
  ledger: LedgerReader,
  log: Log,
  signal: AbortSignal,
): Promise<void> {
  const report = (path: string, consequenceOf: (state: FileState) => string) => (state: FileState) => {
    if (state === "there") log("info", `${path} is back`);
    else log("error", `${path} is ${state}: ${consequenceOf(state)}`);
  };
  const checks = [ledger, database].flatMap(({ file }) =>
    file === null
      ? []
      : fileCheck(
          file,
          report(
            file.path,
            file === ledger.file ? () => "waiting for a new ledger at this path" : consequenceOfLostControl,
          ),
        ),
  );
  await repeatUntil(
    signal,
    CHECK_FILE_EVERY_MS,
    async () => {
      for (const check of checks) check();
      if (ledger.file.state !== "replaced") return;
      try {
        ledger.reopen();
      } catch {
        // The gateway has not created it yet.
        return new Pause(REOPEN_EVERY_MS);
      }
      log("warn", `${ledger.file.path} was replaced; reading the new file`);
    },
    fault => log("error", "could not check the database files; retrying", describeFault(fault)),
  );
}

/** What closing the database does: see `saveLostDatabase`. */
function consequenceOfLostControl(state: FileState): string {
  return state === "missing"
    ? "nothing can be changed until Tollgate is stopped, which restores the file"
    : "nothing can be changed until Tollgate is restarted; it then uses the new file, and saves the old one beside it";
}
