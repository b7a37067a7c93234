import { expect, it } from "bun:test";
import { microcents } from "@tollgate/core/money/money";
import { openControlDatabase } from "@tollgate/storage/database/open-control-database";
import { PostgresAllowanceBank } from "@tollgate/storage/shared-ledger/allowance-bank";
import { controlDatabases } from "../../../../test/support/labs/control-databases.ts";
import { temporaryFolder } from "../../../../test/support/labs/temporary-folder.ts";
import { readConfig } from "../config/config.ts";
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
    settledMicrocents: microcents(0),
    usedMicrocents: microcents(0),
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
