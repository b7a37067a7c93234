import { setTimeout as sleep } from "node:timers/promises";
import { describeFault, type Log } from "@tollgate/core/log";
import type { Control } from "../kernel/context.ts";
import { endExperiment } from "./end-experiment.ts";
import { openStatuses } from "./experiment-row.ts";

const POLL_MS = 250;
const RETRY_AFTER_MS = 1000;

type Parts = Pick<Control, "db" | "engine" | "now" | "newId" | "experiments">;

/**
 * Ends experiments whose time is over, until the signal; also those whose time ran out while nobody watched. The
 * gateway sends nobody to the treatment after that moment by itself.
 */
export async function watchExperiments(parts: Parts, log: Log, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    let pause = POLL_MS;
    try {
      if (!(await endThoseThatAreOver(parts, log, signal))) pause = RETRY_AFTER_MS;
    } catch (fault) {
      log("error", "experiments could not be watched; trying again", describeFault(fault));
      pause = RETRY_AFTER_MS;
    }
    // Rejects with the signal, which the loop sees.
    await sleep(pause, undefined, { signal }).catch(() => {});
  }
}

/** Whether all of them could be ended. */
async function endThoseThatAreOver(parts: Parts, log: Log, signal: AbortSignal): Promise<boolean> {
  const rows = await parts.db
    .selectFrom("experiments")
    .select(["id", "ends_at", "auto_promote"])
    .where("status", "in", openStatuses)
    .where("ends_at", "<=", parts.now())
    .execute();
  let all = true;
  for (const { id, ends_at, auto_promote } of rows) {
    if (signal.aborted) return true;
    try {
      const ended = await endExperiment(parts, id, {
        reason: "duration",
        promote: auto_promote === 1,
        by: "auto_promote",
        at: ends_at,
      });
      if (ended !== null) {
        log("info", "an experiment has ended", { experiment_id: id, promoted: ended.promoted });
      }
    } catch (fault) {
      // One experiment's fault is not the others'.
      log("error", "an experiment could not be ended; trying again", describeFault(fault));
      all = false;
    }
  }
  return all;
}
