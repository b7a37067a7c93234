import { UsageError } from "../config/usage-error.ts";
import { dataFiles, planeLocks } from "../data-directory/data-files.ts";
import { alreadyRunning, becomeInstance } from "../data-directory/instance.ts";
import { isOwned } from "../data-directory/single-owner.ts";

/** Keeps an instance from starting there. Throws if one is running. */
export function holdDataDirectory(dataDir: string): () => void {
  const release = becomeInstance(dataDir);
  if (!planeLocks(dataFiles(dataDir)).some(isOwned)) return release;
  release();
  throw new UsageError(alreadyRunning(dataDir, null));
}
