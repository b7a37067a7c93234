import { chmodSync, statSync } from "node:fs";
import { dataFiles } from "./data-files.ts";

const GROUP_AND_OTHERS = 0o077;
const OWNER_ONLY = 0o600;

/** Files of the data directory that users other than its owner may read or write. */
export function openDataFiles(dataDir: string): string[] {
  return pathsIn(dataDir).filter(path => ((modeOf(path) ?? 0) & GROUP_AND_OTHERS) !== 0);
}

/**
 * For files of older versions, which used the shell's umask; ours makes new files private. The owner gets back what it
 * lacks: SQLite gives `-wal` and `-shm` the mode of their database, so those made for one that was read-only would keep
 * it from being opened even after its own mode was corrected.
 */
export function restrictDataFiles(dataDir: string): void {
  for (const path of pathsIn(dataDir)) {
    const mode = modeOf(path);
    if (mode === null || mode === OWNER_ONLY) continue;
    try {
      chmodSync(path, OWNER_ONLY);
    } catch {
      // Another user owns the file: `svc doctor` reports it, and opening it shows whether it can be used.
    }
  }
}

function pathsIn(dataDir: string): string[] {
  const { ledger, control, ...others } = dataFiles(dataDir);
  const databases = [ledger, control].flatMap(path => [path, `${path}-wal`, `${path}-shm`]);
  return [...databases, `${ledger}-intents`, ...Object.values(others)];
}

/** null: there is no such file. */
function modeOf(path: string): number | null {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? null : stat.mode & 0o777;
}
