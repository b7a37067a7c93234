import { existsSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "../command.ts";

/** Where a restore puts files before they are all there. */
export function unfinishedRestore(dataDir: string): string {
  return join(dataDir, "restore-unfinished");
}

/** A start would take the directory for a new one, or settle half of an old one. */
export function refuseUnfinishedRestore(dataDir: string): void {
  const folder = unfinishedRestore(dataDir);
  if (!existsSync(folder)) return;
  throw new UsageError(
    `a restore into ${dataDir} was not finished: remove everything in that directory, and restore again`,
  );
}
