import { setTimeout as sleep } from "node:timers/promises";
import { TollgateError } from "@tollgate/core/errors";
import { describeFault, type Log } from "@tollgate/core/log";
import { newKey } from "@tollgate/storage/config/new-key";
import { fromRow } from "@tollgate/storage/database/from-row";
import { repeatOnChange } from "@tollgate/storage/following/repeat-on-change";
import type { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import type { CallOperation } from "@tollgate/tools/tool";
import type { Control, Principal } from "../../kernel/context.ts";
import { grant } from "../checkout/grant.ts";
import { DemoFault } from "./demo-fault.ts";
import { DemoProgress } from "./demo-progress.ts";
import { DEMO_NAME, type DemoRow } from "./demo-row.ts";
import { type CallGateway, GatewayClient } from "./gateway-client.ts";
import { deleteRows } from "./remove-demo.ts";
import { runDemo } from "./run-demo.ts";

const POLL_MS = 250;
const HEARTBEAT_MS = 500;
/** A process whose heartbeat is older has died. */
const DEAD_AFTER_MS = 30_000;
/** Takes seconds; on a machine that is this slow, something else is wrong. */
const LONGEST_MS = 15 * 60_000;
const VERIFICATIONS = 3;

interface Parts {
  readonly control: Pick<Control, "db" | "pulse" | "now" | "newId">;
  readonly ledger: Pick<LedgerReader, "newestSeq" | "countOfScope">;
  /** Runs operations of the web API for a principal. */
  readonly callAs: (principal: Principal) => CallOperation;
  /** null: no gateway runs on this machine. */
  readonly callGateway: CallGateway | null;
  readonly log: Log;
}

/** Adds the data of demos that were asked for, one at a time, until the signal. */
export async function watchDemos(parts: Parts, signal: AbortSignal): Promise<void> {
  const runner = crypto.randomUUID();
  let isNoneOpen = false;
  await repeatOnChange(
    parts.control,
    signal,
    POLL_MS,
    async isChanged => {
      if (isNoneOpen && !isChanged) return;
      // Read first: an update would take SQLite's write lock even if it finds nothing to change.
      const open = await readOpen(parts);
      isNoneOpen = open.length === 0;
      for (const demo of open.filter(one => hasDied(one, parts.control.now()))) await failDead(parts, demo);
      const next = open.find(({ runner: claimed }) => claimed === null);
      const demo = next === undefined ? null : await claim(parts, next, runner);
      if (demo === null) return;
      await add(parts, demo, runner, signal);
      return "again";
    },
    fault => parts.log("error", "could not add a demo; retrying", describeFault(fault)),
  );
}

type OpenDemo = Pick<DemoRow, "org_id" | "runner" | "heartbeat_at">;

async function readOpen({ control: { db } }: Parts): Promise<OpenDemo[]> {
  return await db
    .selectFrom("demos")
    .select(["org_id", "runner", "heartbeat_at"])
    .where("status", "=", "adding")
    .orderBy("created_at")
    .execute();
}

function hasDied({ runner, heartbeat_at }: OpenDemo, now: number): boolean {
  return runner !== null && heartbeat_at < now - DEAD_AFTER_MS;
}

/** Its calls cannot be continued where they stopped; adding it again replaces it. */
async function failDead({ control: { db, now } }: Parts, { org_id, heartbeat_at }: OpenDemo): Promise<void> {
  await db
    .updateTable("demos")
    .set({
      status: "failed",
      step: null,
      error: "Tollgate stopped while the demo was being added",
      finished_at: now(),
    })
    .where("org_id", "=", org_id)
    .where("status", "=", "adding")
    .where("heartbeat_at", "=", heartbeat_at)
    .execute();
}

/** null: another process was faster, or it was removed. */
async function claim(
  { control: { db, now } }: Parts,
  { org_id }: OpenDemo,
  runner: string,
): Promise<DemoRow | null> {
  const row = await db
    .updateTable("demos")
    .set({ runner, heartbeat_at: now() })
    .where("org_id", "=", org_id)
    .where("status", "=", "adding")
    .where("runner", "is", null)
    .returningAll()
    .executeTakeFirst();
  return row === undefined ? null : fromRow("demos", { ...row, id: row.org_id });
}

async function add(parts: Parts, demo: DemoRow, runner: string, stopping: AbortSignal): Promise<void> {
  const { control, ledger, log } = parts;
  const before = ledger.newestSeq();
  const progress = new DemoProgress(control, demo, runner, () =>
    ledger.countOfScope(demo.org_id, "test", before, ledger.newestSeq()),
  );
  const removed = new AbortController();
  const signal = AbortSignal.any([stopping, removed.signal, AbortSignal.timeout(LONGEST_MS)]);
  const ended = new AbortController();
  const beating = beat(progress, removed, AbortSignal.any([signal, ended.signal]), log);
  let fault: unknown = null;
  try {
    await fill(parts, demo, progress, signal);
  } catch (caught) {
    fault = caught;
  }
  ended.abort();
  await beating;
  const isStored = !removed.signal.aborted && (await progress.finish(fault === null ? null : reason(fault)));
  // What was written while it was removed.
  if (!isStored) await deleteRows(control.db, demo.org_id);
  if (fault !== null && isStored) log("error", "a demo could not be added", describeFault(fault));
}

/** Stores the progress until the signal, and notices when the demo is removed. */
async function beat(
  progress: DemoProgress,
  removed: AbortController,
  signal: AbortSignal,
  log: Log,
): Promise<void> {
  while (!signal.aborted) {
    try {
      if (!(await progress.store())) removed.abort();
    } catch (fault) {
      log("error", "could not store the progress of a demo; retrying", describeFault(fault));
    }
    // Rejects at the signal, which the loop checks.
    await sleep(HEARTBEAT_MS, undefined, { signal }).catch(() => {});
  }
}

async function fill(
  { control, callAs, callGateway }: Parts,
  demo: DemoRow,
  progress: DemoProgress,
  signal: AbortSignal,
): Promise<void> {
  if (callGateway === null) throw new DemoFault("no gateway runs beside the control plane");
  const { db, now, newId } = control;
  const { key, row } = newKey({
    id: newId(),
    orgId: demo.org_id,
    mode: "test",
    permission: "write",
    role: "owner",
    name: "adds the demo",
    creator: { shownAs: "demo", userId: null },
    now: now(),
  });
  await db.insertInto("api_keys").values(row).execute();
  try {
    await grant(db, {
      id: newId(),
      orgId: demo.org_id,
      mode: "test",
      count: VERIFICATIONS,
      reference: "demo",
      grantedBy: "demo",
      createdAtMs: now(),
    });
    await runDemo({
      seed: demo.seed,
      calls: demo.calls,
      nowMs: now(),
      api: callAs(principalOf(demo, row.id)),
      gateway: new GatewayClient(callGateway, key, signal),
      progress,
      signal,
    });
  } finally {
    await db.updateTable("api_keys").set({ revoked_at: now() }).where("id", "=", row.id).execute();
  }
}

function principalOf({ org_id }: DemoRow, keyId: string): Principal {
  return {
    actor: {
      kind: "key",
      keyId,
      permission: "write",
      role: "owner",
      creator: { shownAs: "demo", userId: null },
    },
    organization: { id: org_id, name: DEMO_NAME, tier: "enterprise" },
    scope: { orgId: org_id, mode: "test" },
  };
}

function reason(fault: unknown): string {
  if (fault instanceof DemoFault || fault instanceof TollgateError) return fault.message;
  const name = fault instanceof Error ? fault.name : "";
  if (name === "AbortError") return "Tollgate stopped while the demo was being added";
  if (name === "TimeoutError") return "it took too long";
  return "an unexpected fault; the log of the control plane has more";
}
