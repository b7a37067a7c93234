import { existsSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "../config/usage-error.ts";

/** Holds the files of a restore until it is complete. */
export function unfinishedRestore(dataDir: string): string {
  return join(dataDir, "restore-unfinished");
}

/** Starting would treat the directory as new, or settle the open calls of an incomplete installation. */
export function refuseUnfinishedRestore(dataDir: string): void {
  const folder = unfinishedRestore(dataDir);
  if (!existsSync(folder)) return;
  throw new UsageError(
    `a restore into ${dataDir} was not finished: delete everything in that directory and restore again`,
  );
}
