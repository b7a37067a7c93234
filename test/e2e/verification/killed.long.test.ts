import { afterAll, expect, it } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { readPairs, toTrialRow } from "@tollgate/control/features/verification/pair-row";
import { readPlan } from "@tollgate/control/features/verification/register-trial";
import { resultOf, type VerdictResult } from "@tollgate/control/features/verification/verdict-result";
import { conclude } from "@tollgate/core/verification/conclude";
import { ControlStore } from "@tollgate/storage/config/control-store";
import { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { temporaryFolder } from "../../support/labs/temporary-folder.ts";
import { PlaneProcess } from "../../support/processes/plane-process.ts";
import { svc } from "../../support/processes/tollgate-process.ts";
import { eventually } from "../../support/waiting/eventually.ts";

const KILLS = 20;
const RESTARTS = 4;
/** Few poor answers: far enough from the margin for a verdict, near enough to it for many pairs. */
const PROMPT = "explain tides. tollgate:poor=gpt-4o-mini:4";
const dataDir = temporaryFolder()("data");
const cleanups: (() => unknown)[] = [];
afterAll(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup();
});

/** The numbers of the test itself, without the time up to which they were computed. */
function evidenceOf({ pairs, non_inferiority }: VerdictResult): unknown {
  const text = JSON.stringify({ pairs, non_inferiority }, (name, value) =>
    name === "data_through" ? undefined : value,
  );
  return JSON.parse(text);
}

it("LOOP-022 a verification survives kills and restarts of both planes: each pair once, one verdict, one charge", async () => {
  mkdirSync(dataDir);
  const store = await ControlStore.open({ kind: "sqlite", path: join(dataDir, "control.db") });
  cleanups.push(() => store.close());
  const { id: orgId } = await store.createOrganization("loop", "enterprise", 0);
  await store.updateOrganization(orgId, { burst_per_minute: 1_000_000 });
  const { key } = await store.createKey(orgId, "test", "write", 0);
  const { db } = store.database;

  const gateway = new PlaneProcess("gateway", dataDir);
  const control = new PlaneProcess("control", dataDir);
  cleanups.push(() => Promise.all([gateway.end("SIGKILL"), control.end("SIGKILL")]));
  await Promise.all([gateway.start(), control.start()]);
  const ask = async (path: string, body?: unknown) => {
    const response = await fetch(control.url + path, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return (await response.json()) as Record<string, unknown>;
  };
  const { id } = (await ask("/api/verify/requests", {
    prod_model: "gpt-4o",
    candidate_model: "gpt-4o-mini",
  })) as { id: string };
  const balance = await ask("/api/verify/balance");

  let made = 0;
  let isRunning = true;
  const caller = async () => {
    while (isRunning) {
      try {
        const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
          method: "POST",
          headers: {
            authorization: `Bearer ${key}`,
            "x-provider-key": "k",
            "content-type": "application/json",
          },
          body: JSON.stringify({
            model: "gpt-4o",
            messages: [{ role: "user", content: `Question ${made++}: ${PROMPT}` }],
          }),
        });
        await answer.text();
      } catch {
        // The gateway was killed.
        await Bun.sleep(5);
      }
    }
  };
  const callers = Promise.all(Array.from({ length: 4 }, caller));
  const reader = new LedgerReader(join(dataDir, "ledger.db"));
  cleanups.push(() => reader.close());
  const isOpen = async () =>
    (await db.selectFrom("verification_requests").select("status").executeTakeFirstOrThrow()).status ===
    "collecting";

  const ends = [
    ...new Array<"SIGKILL">(KILLS).fill("SIGKILL"),
    ...new Array<"SIGTERM">(RESTARTS).fill("SIGTERM"),
  ];
  for (const [turn, signal] of ends.entries()) {
    const seq = reader.newestSeq();
    await eventually("calls are made", () => reader.newestSeq() > seq + 20);
    const planes = [[gateway], [control], [gateway, control]][turn % 3] ?? [];
    for (const plane of planes) await plane.end(signal);
    for (const plane of planes) await plane.start();
  }
  await eventually("there is a verdict", async () => !(await isOpen()));
  isRunning = false;
  await callers;
  await gateway.end("SIGTERM");
  // What was settled last is followed, too.
  const own = reader
    .after(0, 1_000_000)
    .flatMap(({ event }) => (event.pair?.request_id === id ? [event] : []));
  const spent = own.reduce((sum, { cost_microcents }) => sum + cost_microcents, 0);
  const progressOf = () =>
    db.selectFrom("verification_progress").selectAll().where("request_id", "=", id).executeTakeFirstOrThrow();
  await eventually(
    "every event is in the spend",
    async () => (await progressOf()).spent_microcents === spent,
  );
  await control.end("SIGTERM");
  // Pairs in flight at the end are settled after the verdict: they must not spoil any sum.
  const verified = await svc(dataDir, ["ledger", "verify", "--json"]);
  expect([verified.exitCode, verified.stderr]).toEqual([0, expect.any(String)]);

  const graded = own.flatMap(({ pair }) => (pair?.result ? [pair.pair_id] : []));
  const pairs = await readPairs(db, id);
  expect(new Set(graded).size).toBe(graded.length);
  expect(pairs.map(({ pair_id }) => pair_id)).toEqual(graded);
  const verdict = await db
    .selectFrom("verdicts")
    .selectAll()
    .where("request_id", "=", id)
    .where("task_category", "is", null)
    .executeTakeFirstOrThrow();
  const recomputed = conclude(await readPlan(db, id), pairs.map(toTrialRow), {
    nowMs: verdict.concluded_at,
    isOver: false,
    monthlyCalls: null,
  });
  if (recomputed.status !== "concluded") throw new Error(`it is ${recomputed.status}`);
  expect(evidenceOf(JSON.parse(verdict.result))).toEqual(evidenceOf(resultOf(recomputed.verdict, null)));
  expect(verdict.verdict).toBe(recomputed.verdict.verdict as string);
  expect(await db.selectFrom("verification_charges").selectAll().execute()).toMatchObject([
    { request_id: id },
  ]);
  expect(balance).toMatchObject({ balance: 3, reserved: 1 });
}, 600_000);
