import { existsSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "../config/usage-error.ts";

/** Holds the files of a migration into a data directory until it is complete and verified. */
export function unfinishedDirectory(dataDir: string): string {
  return join(dataDir, "migration-unfinished");
}

/** Starting would treat the directory as new. */
export function refuseUnfinishedMigration(dataDir: string): void {
  if (!existsSync(unfinishedDirectory(dataDir))) return;
  throw new UsageError(
    `a migration into ${dataDir} was not finished: run \`svc migrate\` again, with the same --to`,
  );
}
