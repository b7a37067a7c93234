import { expect, it } from "bun:test";
import { periodSpan } from "@tollgate/core/budgets/period";
import { microcents } from "@tollgate/core/money/money";
import { ControlStore } from "@tollgate/storage/config/control-store";
import { openControlDatabase } from "@tollgate/storage/database/open-control-database";
import { PostgresAllowanceBank } from "@tollgate/storage/shared-ledger/allowance-bank";
import { controlDatabases } from "../../../../test/support/labs/control-databases.ts";
import { temporaryFolder } from "../../../../test/support/labs/temporary-folder.ts";
import { budgetRow } from "../../../../test/support/rows/budget-row.ts";
import { readConfig } from "../config/config.ts";
import { nodes } from "./nodes.ts";
import { nodesRemove } from "./nodes-remove.ts";

/** A busy machine must not end a transaction. */
const PATIENT_MS = 300_000;
const databases = controlDatabases();
const inFolder = temporaryFolder();

it("REL-002 does not remove a node whose gateway still asks for allowances, although its sidecar is silent", async () => {
  const place = await databases.place("postgres");
  if (place.kind !== "postgres") throw new Error("not PostgreSQL");
  const { db, close } = await openControlDatabase(place);
  const silentAtMs = Date.now() - 600_000;
  await db
    .insertInto("nodes")
    .values({
      id: "a",
      host: "host",
      version: "1",
      created_at: 1,
      last_seen_at: silentAtMs,
      newest_seq: 0,
      removed_at: null,
    })
    .execute();
  await new PostgresAllowanceBank(db, "a", PATIENT_MS).ask({
    orgId: "org",
    budgetId: "budget",
    sinceMs: 1,
    period: "2026-11",
    limitMicrocents: microcents(1000),
    blockingSinceMs: null,
    settledMicrocents: microcents(0),
    usedMicrocents: microcents(0),
    keptMicrocents: microcents(0),
    wantedMicrocents: microcents(100),
    awaitedMicrocents: microcents(0),
    givesBack: false,
  });
  const config = readConfig({
    SVC_DATA_DIR: inFolder("data"),
    SVC_ROLE: "control",
    SVC_DATABASE_URL: place.url,
    SVC_SECRET: "s".repeat(64),
  });
  const remove = async (force: boolean) =>
    await nodesRemove.run({ config, argument: "a", options: { force }, note: () => {} });
  await expect(remove(false)).rejects.toThrow("although its sidecar is silent");
  await db.updateTable("budget_shares").set({ asked_at: silentAtMs }).execute();
  expect((await remove(false)).text).toBe("removed a");
  await close();
});

it("REL-002 says how much of budgets a dead node holds, and what may be exceeded if it is removed", async () => {
  const place = await databases.place("postgres");
  if (place.kind !== "postgres") throw new Error("not PostgreSQL");
  const { db, close } = await openControlDatabase(place);
  const silentAtMs = Date.now() - 600_000;
  const node = { host: "host", version: "1", created_at: 1, newest_seq: 0, removed_at: null };
  await db
    .insertInto("nodes")
    .values({ id: "dead", last_seen_at: silentAtMs, ...node })
    .execute();
  const store = await ControlStore.open(place);
  const { id: orgId } = await store.createOrganization("org", "enterprise", 1);
  await store.close();
  const budget = { id: "budget", limit: 20_000_000, period: "monthly" as const };
  await db
    .insertInto("budgets")
    .values(budgetRow(orgId, budget, 1))
    .execute();
  const nowMs = Date.now();
  const { id: period } = periodSpan("monthly", nowMs);
  await new PostgresAllowanceBank(db, "dead", PATIENT_MS, 0).ask({
    orgId,
    budgetId: "budget",
    sinceMs: 1,
    period,
    limitMicrocents: microcents(20_000_000),
    blockingSinceMs: null,
    settledMicrocents: microcents(1_000_000),
    usedMicrocents: microcents(1_000_000),
    keptMicrocents: microcents(0),
    wantedMicrocents: microcents(15_000_000),
    awaitedMicrocents: microcents(0),
    givesBack: false,
  });
  await db.updateTable("budget_shares").set({ asked_at: silentAtMs }).execute();
  const config = readConfig({
    SVC_DATA_DIR: inFolder("another"),
    SVC_ROLE: "control",
    SVC_DATABASE_URL: place.url,
    SVC_SECRET: "s".repeat(64),
  });
  const notes: string[] = [];
  const input = { config, argument: "", options: {}, note: (text: string) => notes.push(text) };
  const listed = await nodes.run(input);
  expect(listed.value).toMatchObject([{ id: "dead", unused_allowance_microcents: 15_000_000 }]);
  expect(listed.text).toContain("holds $1.50 (15000000 microcents) of budgets");
  expect(listed.text).toContain("svc nodes remove dead");

  const removed = await nodesRemove.run({ ...input, argument: "dead" });
  expect(removed.value).toMatchObject({ removed: true, returned_microcents: 15_000_000 });
  expect(notes.join()).toContain(
    "returning up to $1.50 (15000000 microcents) of budgets to the other gateways",
  );
  const share = await db.selectFrom("budget_shares").selectAll().executeTakeFirstOrThrow();
  expect(share).toMatchObject({ granted_microcents: 1_000_000, used_microcents: 1_000_000 });
  await close();
});
