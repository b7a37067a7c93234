import { describeFault, type Log } from "@tollgate/core/log";
import { repeatOnChange } from "@tollgate/storage/following/repeat-on-change";
import { type Scope, scopeName, toScope } from "@tollgate/storage/ledger/scope";
import type { Control } from "../../kernel/context.ts";
import { computePredictions } from "./compute-predictions.ts";
import { ACTIVE_MS } from "./read-fleet-series.ts";
import { storePredictions } from "./store-predictions.ts";

const EVERY_MS = 5 * 60_000;
const POLL_MS = 250;
/**
 * How far the read model may lag. At startup a partial history must not be used, but under constant load the read model
 * is always a few events behind.
 */
const CAUGHT_UP_EVENTS = 1000;

type Parts = Pick<
  Control,
  "db" | "engine" | "pulse" | "readModel" | "continuity" | "now" | "newId" | "predictionBoard"
>;

/** Runs every five minutes, and at startup as soon as the read model has caught up, until the signal. */
export async function watchPredictions(parts: Parts, log: Log, signal: AbortSignal): Promise<void> {
  let lastRunAt: number | null = null;
  const run = async () => {
    // A partial history would give wrong predictions.
    if (parts.continuity.isDegraded) return;
    const now = parts.now();
    const isDue =
      lastRunAt === null
        ? (await parts.readModel.lag()) < CAUGHT_UP_EVENTS
        : Math.abs(now - lastRunAt) >= EVERY_MS;
    if (!isDue) return;
    await runAll(parts, log, signal);
    lastRunAt = now;
  };
  await repeatOnChange(parts, signal, POLL_MS, run, fault =>
    log("error", "could not compute predictions; retrying", describeFault(fault)),
  );
}

async function runAll(parts: Parts, log: Log, signal: AbortSignal): Promise<void> {
  const { predictionBoard, now } = parts;
  // Dated when each computation began: later events may not have been seen.
  const startedAtMs = now();
  const scopes = await scopesToExamine(parts);
  for (const scope of scopes) {
    if (signal.aborted) return;
    const atMs = now();
    try {
      const { predictions, insufficient } = await computePredictions(parts, scope);
      await storePredictions(parts, scope, predictions);
      predictionBoard.note(scope, atMs, insufficient);
    } catch (fault) {
      // One organization's fault must not affect the others.
      log("error", "could not compute an organization's predictions; retrying", describeFault(fault));
    }
    await Bun.sleep(0);
  }
  predictionBoard.finishRun(startedAtMs, scopes);
}

/** Scopes that were active, or have open predictions that may be over; none of an inactive or suspended organization. */
async function scopesToExamine({ db, readModel, now }: Parts): Promise<Scope[]> {
  const scopes = new Map<string, Scope>();
  for (const scope of await readModel.activeScopes(now() - ACTIVE_MS)) {
    scopes.set(scopeName(scope), scope);
  }
  const open = await db
    .selectFrom("predictions")
    .select(["org_id", "mode"])
    .where("status", "<>", "resolved")
    .distinct()
    .execute();
  for (const scope of open.map(toScope)) scopes.set(scopeName(scope), scope);
  const inactive = await db
    .selectFrom("organizations")
    .select("id")
    .where("status", "<>", "active")
    .execute();
  const ignored = new Set(inactive.map(({ id }) => id));
  return [...scopes.values()].filter(({ orgId }) => !ignored.has(orgId));
}
