import { alreadyRunning } from "./instance.ts";
import { logToStderr } from "./log-to-stderr.ts";
import { becomeSingleOwner } from "./single-owner.ts";

/** A plane whose supervisor was killed lets its calls finish (60 seconds at most) before it ends. */
const ORPHAN_PATIENCE_MS = 75_000;
const GRACE_MS = 1000;

/**
 * Makes this process the one gateway, or the one control plane, of a data directory. Under a supervisor, which alone
 * has the directory, an owner can only be what a killed supervisor left behind, and ends by itself. Without one, the
 * owner is there to stay.
 */
export function ownPlane(lockPath: string, dataDir: string): () => void {
  const isSupervised = process.send !== undefined;
  return becomeSingleOwner(lockPath, {
    patienceMs: isSupervised ? ORPHAN_PATIENCE_MS : GRACE_MS,
    onWait: () => logToStderr("warn", "waiting for the end of a Tollgate whose main process was killed"),
    refusal: () => alreadyRunning(dataDir, null),
  });
}
