import { expect, it, onTestFinished } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { putInForce } from "@tollgate/control/features/actuations/put-in-force";
import { breakerRepair } from "@tollgate/control/features/breaker/follow-switches";
import type { Event } from "@tollgate/core/event";
import { HOUR_MS } from "@tollgate/core/time/durations";
import { ControlStore } from "@tollgate/storage/config/control-store";
import { readPosition } from "@tollgate/storage/following/stored-position";
import { Ledger } from "@tollgate/storage/ledger/ledger";
import { temporaryFolder } from "../../support/labs/temporary-folder.ts";
import { PlaneProcess } from "../../support/processes/plane-process.ts";
import { sampleSettlement } from "../../support/rows/sample-event.ts";
import { eventually } from "../../support/waiting/eventually.ts";

const inFolder = temporaryFolder();

it("LOOP-034 a control plane that is killed while it counts, and as soon as it has undone a switch, undoes and announces it once", async () => {
  const dataDir = inFolder("data");
  mkdirSync(dataDir);
  const store = await ControlStore.open({ kind: "sqlite", path: join(dataDir, "control.db") });
  onTestFinished(() => store.close());
  const { id: orgId } = await store.createOrganization("breaker", "enterprise", 0);
  const { db } = store.database;
  const ledger = new Ledger(join(dataDir, "ledger.db"), "normal");
  onTestFinished(() => ledger.close());
  const switchedAt = Date.now() - HOUR_MS;
  const agent = { id: crypto.randomUUID(), agentKey: "writer" };
  const append = (count: number, change: Partial<Event>) =>
    ledger.append(
      Array.from({ length: count }, () =>
        sampleSettlement(crypto.randomUUID(), {
          org_id: orgId,
          agent_key: agent.agentKey,
          requested_model: "gpt-4o",
          ...change,
        }),
      ),
      [{ id: agent.id, org_id: orgId, mode: "live", agent_key: agent.agentKey, first_seen_at: switchedAt }],
    );
  await append(200, { model: "gpt-4o", created_at: switchedAt - HOUR_MS });
  const control = new PlaneProcess("control", dataDir);
  onTestFinished(() => control.end("SIGKILL"));
  await control.start();
  // It counts from where the ledger ends when it first looks.
  await eventually(
    "the breaker has begun",
    async () => (await readPosition(db, breakerRepair.reader)) !== null,
  );

  const id = crypto.randomUUID();
  await db.transaction().execute(transaction =>
    putInForce(
      transaction,
      { engine: "sqlite", newId: () => Bun.randomUUIDv7(), now: Date.now },
      {
        id,
        org_id: orgId,
        mode: "live",
        agent_id: agent.id,
        agent_key: agent.agentKey,
        optimization_type: "model_switch",
        payload: JSON.stringify({ model: "gpt-4.1-nano" }),
        source: "suggestion",
        applied_by: "test",
        applied_at: switchedAt,
        undone_at: null,
      },
      { authority: "operator", actor: "test" },
    ),
  );
  const counted = async () => {
    const row = await db.selectFrom("switch_watches").select("calls").executeTakeFirst();
    return row?.calls ?? 0;
  };
  const fail = (count: number) =>
    append(count, { model: "gpt-4.1-nano", status: "error", created_at: switchedAt + 1000 });
  let calls = 0;
  // Too few to decide: each time it is killed as soon as it has counted some of them.
  for (const count of [30, 30, 30]) {
    const before = calls;
    await fail(count);
    calls += count;
    await eventually("some are counted", async () => (await counted()) > before);
    await control.end("SIGKILL");
    await control.start();
  }
  await eventually("each was counted once", async () => (await counted()) === calls);
  await fail(60);
  const undone = async () => {
    const row = await db.selectFrom("optimizations").select("undone_at").executeTakeFirst();
    return row?.undone_at ?? null;
  };
  await eventually("the switch is undone", async () => (await undone()) !== null);
  await control.end("SIGKILL");
  const at = await undone();
  await control.start();
  // It does so after its look at every switch.
  await eventually("what was counted is deleted", async () => (await counted()) === 0);
  expect(await undone()).toBe(at);
  const actuations = await db.selectFrom("actuations").select(["change", "authority"]).execute();
  expect(actuations.toSorted((a, b) => (a.change < b.change ? -1 : 1))).toEqual([
    { change: "apply", authority: "operator" },
    { change: "undo", authority: "breaker" },
  ]);
  const alerts = await db
    .selectFrom("alerts")
    .select("metadata")
    .where("rule_key", "=", `breaker:${id}`)
    .execute();
  expect(alerts.map(({ metadata }) => JSON.parse(metadata) as object)).toMatchObject([
    { kind: "breaker", reason: "error_rate", samples_before: 200, share_after_pct: 100 },
  ]);
}, 600_000);
