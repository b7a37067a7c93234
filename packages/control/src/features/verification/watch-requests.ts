import { describeFault, type Log } from "@tollgate/core/log";
import { fromRow } from "@tollgate/storage/database/from-row";
import { repeatOnChange } from "@tollgate/storage/following/repeat-on-change";
import { Pause } from "@tollgate/storage/following/repeat-until";
import { scopeName, toScope } from "@tollgate/storage/ledger/scope";
import type { Control } from "../../kernel/context.ts";
import { concludeRequest, endWithoutVerdict } from "./end-request.ts";
import { experimentFinding, readExperiment } from "./experiment-evidence.ts";
import { isSpent } from "./is-spent.ts";
import { isUnaffordable } from "./is-unaffordable.ts";
import { productionUsage } from "./production-usage.ts";
import { readProgress } from "./progress.ts";
import { readPlan } from "./register-trial.ts";
import { isOpen, lockRequest, openStatuses, type RequestRow } from "./request-row.ts";
import { settleTrial } from "./settle-trial.ts";
import { startQueued } from "./start-queued.ts";
import { switchedSince } from "./switched-since.ts";
import { TrialEvidence } from "./trial-evidence.ts";

const POLL_MS = 250;
const RETRY_AFTER_MS = 1000;

/** How often a trial is evaluated without a new pair: sessions that end start to count. */
const LOOK_EVERY_MS = 10_000;

type Parts = Pick<
  Control,
  "db" | "engine" | "pulse" | "now" | "newId" | "catalogue" | "readModel" | "verifications"
>;

/**
 * Ends verifications for reasons other than a pair, until the signal: time or spend used up, the agent was switched, or
 * the experiment has ended. Starts queued ones when others end.
 */
export async function watchRequests(parts: Parts, log: Log, signal: AbortSignal): Promise<void> {
  const lookedAt = new Map<string, number>();
  let isNoneOpen = false;
  const look = async (isChanged: boolean) => {
    if (isNoneOpen && !isChanged) return;
    const open = await readOpen(parts);
    isNoneOpen = open.length === 0;
    if (!(await lookAtAll(parts, open, lookedAt, log, signal))) return new Pause(RETRY_AFTER_MS);
  };
  await repeatOnChange(parts, signal, POLL_MS, look, fault =>
    log("error", "could not check verifications for their end; retrying", describeFault(fault)),
  );
}

async function readOpen({ db }: Parts): Promise<RequestRow[]> {
  const rows = await db
    .selectFrom("verification_requests")
    .selectAll()
    .where("status", "in", openStatuses)
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  return rows.map(row => fromRow("verification_requests", row));
}

/** Resolves with whether none of them had a fault. */
async function lookAtAll(
  parts: Parts,
  open: readonly RequestRow[],
  lookedAt: Map<string, number>,
  log: Log,
  signal: AbortSignal,
): Promise<boolean> {
  const ids = new Set(open.map(({ id }) => id));
  for (const id of lookedAt.keys()) if (!ids.has(id)) lookedAt.delete(id);
  let all = true;
  for (const request of open) {
    if (signal.aborted) return true;
    try {
      if (await endIfOver(parts, request, lookedAt)) {
        log("info", "a verification has ended", { request_id: request.id });
      }
    } catch (fault) {
      // One verification's fault must not affect the others.
      log("error", "could not check a verification; retrying", describeFault(fault));
      all = false;
    }
  }
  const waiting = new Map(
    open.filter(({ status }) => status === "queued").map(row => [scopeName(toScope(row)), toScope(row)]),
  );
  for (const scope of waiting.values()) await startQueued(parts, scope);
  return all;
}

type Exhausted = "time" | "spend";

async function endIfOver(parts: Parts, request: RequestRow, lookedAt: Map<string, number>): Promise<boolean> {
  if (request.status === "queued") return false;
  const now = parts.now();
  if (request.evidence_mode === "experiment") return await settleExperiment(parts, request);
  if (await switchedSince(parts.db, request)) {
    return await change(parts, request, async (transaction, row) => {
      await endWithoutVerdict(transaction, row, "switched_meanwhile", now);
      return true;
    });
  }
  const isDue = now - (lookedAt.get(request.id) ?? 0) >= LOOK_EVERY_MS;
  const exhausted = await exhaustedOf(parts, request, now, isDue);
  if (exhausted === null && !isDue) return false;
  lookedAt.set(request.id, now);
  // Every pair that came before the end counts.
  if (exhausted !== null) await parts.verifications.catchUp();
  else if (!(await hasEnded(parts, request, now))) return false;
  return await change(parts, request, async (transaction, row) => {
    const evidence = await TrialEvidence.load(transaction, row.id);
    evidence.trial.look(Math.min(now, row.expires_at));
    if (exhausted !== null) evidence.trial.finish();
    return await settleTrial(transaction, parts, row, evidence, { at: now, exhausted: exhausted ?? "time" });
  });
}

/** Checks without a lock first, because most checks find nothing new. */
async function hasEnded({ db }: Parts, request: RequestRow, now: number): Promise<boolean> {
  const { trial } = await TrialEvidence.load(db, request.id);
  trial.look(Math.min(now, request.expires_at));
  return trial.end !== null;
}

async function exhaustedOf(
  parts: Parts,
  request: RequestRow,
  now: number,
  isDue: boolean,
): Promise<Exhausted | null> {
  if (now >= request.expires_at) return "time";
  if (request.evidence_mode !== "shadow") return null;
  const progress = await readProgress(parts.db, request.id);
  if (isSpent(request.max_spend_microcents, progress)) return "spend";
  return isDue && (await isUnaffordable(parts, request, progress, now)) ? "spend" : null;
}

/** The experiment or its time has ended: its result becomes the verdict. */
async function settleExperiment(parts: Parts, request: RequestRow): Promise<boolean> {
  const now = parts.now();
  const plan = await readPlan(parts.db, request.id);
  const results = await readExperiment(parts.db, plan.experiment_id);
  const isOver = now >= request.expires_at;
  if (results === "open" && !isOver) return false;
  return await change(parts, request, async (transaction, row) => {
    const { monthlyCalls } = await productionUsage(transaction, parts.engine, row, now);
    const finding =
      typeof results === "string"
        ? null
        : experimentFinding(plan, results, monthlyCalls, Date.parse(results.computed_at));
    if (finding !== null) await concludeRequest(transaction, parts, row, [finding], now);
    else await endWithoutVerdict(transaction, row, results === "open" ? "time" : "experiment", now);
    return true;
  });
}

/** Only if it is still open, under a lock so that nothing else can end it. */
async function change(
  { db, engine }: Parts,
  { id }: RequestRow,
  work: (transaction: Parts["db"], request: RequestRow) => Promise<boolean>,
): Promise<boolean> {
  return await db.transaction().execute(async transaction => {
    const row = await lockRequest(transaction, engine, id);
    return row !== null && isOpen(row) ? await work(transaction, row) : false;
  });
}
