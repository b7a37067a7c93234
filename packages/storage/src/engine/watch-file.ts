import { watch } from "node:fs";

/**
 * Calls `changed` when the file is written, replaced or removed. Returns what stops it; null: the file cannot be
 * watched, because it does not exist or the system has no watches left.
 */
export function watchFile(path: string, changed: () => void): (() => void) | null {
  try {
    const watcher = watch(path, { persistent: false }, changed);
    watcher.on("error", changed);
    return () => watcher.close();
  } catch {
    return null;
  }
}
