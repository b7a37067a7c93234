import { logToStderr } from "../output/log-to-stderr.ts";
import { alreadyRunning } from "./instance.ts";
import { becomeSingleOwner } from "./single-owner.ts";

/** A plane whose supervisor was killed lets its calls finish (60 seconds at most) before it ends. */
const ORPHAN_PATIENCE_MS = 75_000;
const GRACE_MS = 1000;

/**
 * Makes this process the only gateway, or the only control plane, of a data directory. Under a supervisor, which holds
 * the directory, another owner can only be a leftover of a killed supervisor and will exit by itself. Without a
 * supervisor, the other owner will stay, so waiting is pointless.
 */
export function lockPlane(lockPath: string, dataDir: string): () => void {
  const isSupervised = process.send !== undefined;
  return becomeSingleOwner(lockPath, {
    patienceMs: isSupervised ? ORPHAN_PATIENCE_MS : GRACE_MS,
    onWait: () => logToStderr("warn", "waiting for a process to end whose supervisor was killed"),
    refusal: () => alreadyRunning(dataDir, null),
  });
}
