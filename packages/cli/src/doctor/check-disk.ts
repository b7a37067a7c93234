import { existsSync, statSync } from "node:fs";
import { megabytes } from "../backup/report-progress.ts";
import type { Check } from "./finding.ts";

/** Calls are refused on a full disk; at a thousand calls a second, this much lasts an hour. */
const WARNING_BYTES = 2_000_000_000;
const ERROR_BYTES = 200_000_000;
/** The write-ahead log is truncated at 16 and at 64 MB, unless a long read keeps it open. */
const LARGE_LOG_BYTES = 512_000_000;

export const checkDisk: Check = {
  name: "disk",
  run({ config: { dataDir }, files, freeBytes: free }, say) {
    if (!existsSync(dataDir)) return;
    if (free === null) return say("error", "the free space cannot be read");
    const message = `${megabytes(free)} free; the databases are ${megabytes(sizeOf(files.ledger) + sizeOf(files.control))}`;
    if (free < ERROR_BYTES) say("error", message);
    else say(free < WARNING_BYTES ? "warning" : "ok", message);
    for (const log of [`${files.ledger}-wal`, `${files.control}-wal`]) {
      if (sizeOf(log) > LARGE_LOG_BYTES) {
        say(
          "warning",
          `${log} is ${megabytes(sizeOf(log))}: something has been reading the database for a long time`,
        );
      }
    }
  },
};

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
