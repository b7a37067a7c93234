import { existsSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "../command.ts";

/** Holds the files of a restore until it is complete. */
export function unfinishedRestore(dataDir: string): string {
  return join(dataDir, "restore-unfinished");
}

/** Starting would treat the directory as a new one, or settle the calls of half an installation. */
export function refuseUnfinishedRestore(dataDir: string): void {
  const folder = unfinishedRestore(dataDir);
  if (!existsSync(folder)) return;
  throw new UsageError(
    `a restore into ${dataDir} was not finished: remove everything in that directory, and restore again`,
  );
}
