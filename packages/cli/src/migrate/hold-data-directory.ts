import { dataFiles } from "../data-files.ts";
import { alreadyRunning, becomeInstance } from "../instance.ts";
import { isOwned } from "../single-owner.ts";
import { UsageError } from "../usage-error.ts";

/** Keeps an instance from starting there. Throws if one is running. */
export function holdDataDirectory(dataDir: string): () => void {
  const release = becomeInstance(dataDir);
  const { lock, controlLock, sidecarLock } = dataFiles(dataDir);
  if (![lock, controlLock, sidecarLock].some(isOwned)) return release;
  release();
  throw new UsageError(alreadyRunning(dataDir, null));
}
