import { expect, it } from "bun:test";
import { mkdirSync } from "node:fs";
import { ledgerRepairs } from "@tollgate/control/startup/ledger-repairs";
import {
  type ControlDatabaseOptions,
  openControlDatabase,
} from "@tollgate/storage/database/open-control-database";
import { beginPosition, movePosition } from "@tollgate/storage/following/stored-position";
import { Ledger } from "@tollgate/storage/ledger/ledger";
import { LEDGER_START } from "@tollgate/storage/ledger/ledger-position";
import { controlDatabases } from "../../../../test/support/labs/control-databases.ts";
import { temporaryFolder } from "../../../../test/support/labs/temporary-folder.ts";
import { writeMigratedFile } from "../../../../test/support/labs/write-migrated-file.ts";
import { sampleSettlement } from "../../../../test/support/rows/sample-event.ts";
import { readConfig } from "../config/config.ts";
import { writePostgresMark } from "../data-directory/control-database.ts";
import { dataFiles } from "../data-directory/data-files.ts";
import { loadOrCreateNodeId } from "../data-directory/load-or-create-node-id.ts";
import { checkReaders } from "./check-readers.ts";

const databases = controlDatabases();
const inFolder = temporaryFolder();
let made = 0;

/** What is found in an installation whose ledger has three events, with these readers at these events. */
async function checked(
  settings: Record<string, string>,
  place: ControlDatabaseOptions | null,
  cursors: Record<string, number>,
): Promise<string[]> {
  const dataDir = inFolder(`data-${++made}`);
  mkdirSync(dataDir);
  const config = readConfig({ SVC_DATA_DIR: dataDir, ...settings });
  const files = dataFiles(dataDir);
  const ledger = new Ledger(files.ledger, "normal");
  await ledger.append(["a", "b", "c"].map(id => sampleSettlement(id)));
  await ledger.close();
  if (place === null) await writeMigratedFile(files.control);
  if (config.role === "gateway") loadOrCreateNodeId(config);
  if (place !== null) writePostgresMark(config);
  const database = await openControlDatabase(place ?? { kind: "sqlite", path: files.control });
  for (const [reader, seq] of Object.entries(cursors)) {
    await beginPosition(database.db, reader, LEDGER_START);
    await movePosition(database.db, reader, { seq, eventId: null });
  }
  await database.close();
  const found: string[] = [];
  const patient = { config, files, running: null, nowMs: 0, freeBytes: null, depth: "quick" } as const;
  await checkReaders.run(patient, (level, message) => found.push(`${level}: ${message}`));
  return found;
}

it("finds every reader that is ahead of the ledger, whatever its cursor is called", async () => {
  const readers = ledgerRepairs.map(({ reader }) => reader).toSorted();
  expect(readers).toContain("verdicts:served-models");
  const found = await checked({}, null, Object.fromEntries(readers.map(reader => [reader, 9])));
  expect(found).toEqual(
    readers.map(reader =>
      expect.stringContaining(`error: ${reader} is at event 9, and the ledger ends at 3`),
    ),
  );
  // Positions of something else than events.
  expect(await checked({}, null, { "read-model:adjustments": 9 })).toEqual(["ok: up to event 3, the newest"]);
});

it("on a gateway of several checks the shipping of its own ledger, and no reader of other ledgers", async () => {
  const place = await databases.place("postgres");
  if (place.kind !== "postgres") throw new Error("not PostgreSQL");
  const settings = { SVC_ROLE: "gateway", SVC_DATABASE_URL: place.url, SVC_NODE_ID: "own" };
  const others = { "read-model:events": 9, "shipping:other": 9 };
  expect(await checked(settings, place, { ...others, "shipping:own": 3 })).toEqual([
    "ok: up to event 3, the newest",
  ]);
  expect(await checked(settings, place, { ...others, "shipping:own": 9 })).toEqual([
    "error: shipping:own is at event 9, and the ledger ends at 3: the sidecar ships the ledger again",
  ]);
});

it("on a control plane of several finds a copy that PostgreSQL disagrees with, and lets other control planes be ahead", async () => {
  const place = await databases.place("postgres");
  if (place.kind !== "postgres") throw new Error("not PostgreSQL");
  const settings = {
    SVC_ROLE: "control",
    SVC_DATABASE_URL: place.url,
    SVC_SECRET: "a secret that is long enough",
  };
  const share = async (...ids: readonly string[]) => {
    const database = await openControlDatabase(place);
    await database.db.deleteFrom("shared_events").execute();
    const values = ids.map((id, index) => ({
      org_id: "org",
      id,
      position: index + 1,
      node_id: "node",
      node_seq: index + 1,
      created_at: -120_000,
      event: "{}",
    }));
    await database.db.insertInto("shared_events").values(values).execute();
    await database.db.updateTable("shared_ledger_end").set({ position: ids.length }).execute();
    await database.close();
  };
  await share("a", "b", "c", "d", "e");
  expect(await checked(settings, place, { "read-model:events": 5 })).toEqual([
    "ok: the copy of the shared ledger is 2 events behind: it catches up when Tollgate is running",
  ]);
  await share("a", "b", "c");
  expect(await checked(settings, place, { "read-model:events": 3 })).toEqual([
    "ok: up to event 3, the newest",
  ]);
  await share("a", "b");
  expect(await checked(settings, place, { "read-model:events": 2 })).toEqual([
    "error: PostgreSQL does not have event 3, the last one of this copy: it was restored from an older backup, or has lost its last events in a failover. Stop this control plane, and delete its ledger.db*",
  ]);
});
