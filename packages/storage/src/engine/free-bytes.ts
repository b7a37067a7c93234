import { statfsSync } from "node:fs";
import { dirname } from "node:path";

/** Space left beside a file that may have been removed; null: its directory is gone, too. */
export function freeBytes(path: string): number | null {
  try {
    const { bavail, bsize } = statfsSync(dirname(path));
    return bavail * bsize;
  } catch {
    return null;
  }
}
