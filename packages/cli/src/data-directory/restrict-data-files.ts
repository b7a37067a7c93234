import { chmodSync, statSync } from "node:fs";
import { dataFiles } from "./data-files.ts";

const GROUP_AND_OTHERS = 0o077;

/** Files of the data directory that users other than its owner may read or write. */
export function openDataFiles(dataDir: string): string[] {
  const { ledger, control, ...others } = dataFiles(dataDir);
  const databases = [ledger, control].flatMap(path => [path, `${path}-wal`, `${path}-shm`]);
  return [...databases, `${ledger}-intents`, ...Object.values(others)].filter(isOpen);
}

/** For files of older versions, which used the shell's umask; ours makes new files private. */
export function restrictDataFiles(dataDir: string): void {
  for (const path of openDataFiles(dataDir)) {
    try {
      chmodSync(path, 0o600);
    } catch {
      // Another user owns the file: `svc doctor` reports it, and opening it shows whether it can be used.
    }
  }
}

function isOpen(path: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat !== undefined && (stat.mode & GROUP_AND_OTHERS) !== 0;
}
