import { describeFault, type Log } from "@tollgate/core/log";
import { repeatOnChange } from "@tollgate/storage/following/repeat-on-change";
import { Pause } from "@tollgate/storage/following/repeat-until";
import type { Control } from "../../kernel/context.ts";
import { endExperiment } from "./end-experiment.ts";
import { openStatuses } from "./experiment-row.ts";

const POLL_MS = 250;
const RETRY_AFTER_MS = 1000;

type Parts = Pick<Control, "db" | "engine" | "pulse" | "now" | "newId" | "experiments">;

/**
 * Ends experiments whose time is over, until the signal, including those that expired during downtime. The gateway
 * stops assigning the treatment at that moment on its own.
 */
export async function watchExperiments(parts: Parts, log: Log, signal: AbortSignal): Promise<void> {
  let nextEndAt: number | null = null;
  const end = async (isChanged: boolean) => {
    if (isChanged) nextEndAt = await firstEnd(parts);
    if (nextEndAt === null || nextEndAt > parts.now()) return;
    if (!(await endThoseThatAreOver(parts, log, signal))) return new Pause(RETRY_AFTER_MS);
  };
  await repeatOnChange(parts, signal, POLL_MS, end, fault =>
    log("error", "could not check experiments for their end; retrying", describeFault(fault)),
  );
}

/** When the first of the open ones ends; null: none is open. */
async function firstEnd({ db }: Parts): Promise<number | null> {
  const first = await db
    .selectFrom("experiments")
    .select("ends_at")
    .where("status", "in", openStatuses)
    .orderBy("ends_at")
    .limit(1)
    .executeTakeFirst();
  return first?.ends_at ?? null;
}

/** Resolves with whether all of them could be ended. */
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
        cause: { authority: "experiment", actor: "auto_promote" },
        at: ends_at,
      });
      if (ended !== null) {
        log("info", "an experiment has ended", { experiment_id: id, promoted: ended.promoted });
      }
    } catch (fault) {
      // One experiment's fault must not affect the others.
      log("error", "could not end an experiment; retrying", describeFault(fault));
      all = false;
    }
  }
  return all;
}
