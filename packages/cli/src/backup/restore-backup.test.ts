import { expect, it } from "bun:test";
import { mkdirSync } from "node:fs";
import { Ledger } from "@tollgate/storage/ledger/ledger";
import { temporaryFolder } from "../../../../test/support/labs/temporary-folder.ts";
import { writeMigratedFile } from "../../../../test/support/labs/write-migrated-file.ts";
import { readConfig } from "../config/config.ts";
import { dataFiles, planeLocks } from "../data-directory/data-files.ts";
import { loadOrCreateNodeId } from "../data-directory/load-or-create-node-id.ts";
import { becomeSingleOwner } from "../data-directory/single-owner.ts";
import { restoreBackup } from "./restore-backup.ts";
import { takeBackup } from "./take-backup.ts";

const inFolder = temporaryFolder();

it("REL-015 refuses a directory that any plane is using, and not one whose planes have ended", async () => {
  const dataDir = inFolder("data");
  mkdirSync(dataDir);
  const refusal = () =>
    restoreBackup({ source: inFolder("no-backup"), dataDir, note: () => {} }).then(
      () => "none",
      (fault: Error) => fault.message,
    );
  for (const lock of planeLocks(dataFiles(dataDir))) {
    const release = becomeSingleOwner(lock, { patienceMs: 0, refusal: () => "" });
    expect(await refusal()).toContain("is running on the data directory");
    release();
  }
  // Their empty lock files are no data: only the backup is missing.
  expect(await refusal()).toContain("is not a backup");
});

it("REL-015 the restored ledger of a gateway still belongs to its node", async () => {
  const dataDir = inFolder("gateway");
  mkdirSync(dataDir);
  const files = dataFiles(dataDir);
  await new Ledger(files.ledger, "normal").close();
  await writeMigratedFile(files.control);
  // The name that a gateway makes without SVC_NODE_ID is nowhere else.
  const nodeId = loadOrCreateNodeId(readConfig({ SVC_DATA_DIR: dataDir }));
  const note = () => {};
  await takeBackup({ dataDir, target: inFolder("backup"), version: "1", nowMs: 0, note });
  const restored = { SVC_DATA_DIR: inFolder("restored") };
  await restoreBackup({ source: inFolder("backup"), dataDir: restored.SVC_DATA_DIR, note });
  expect(loadOrCreateNodeId(readConfig(restored))).toBe(nodeId);
  expect(() => loadOrCreateNodeId(readConfig({ ...restored, SVC_NODE_ID: "another" }))).toThrow(
    `belongs to node ${nodeId}`,
  );
});
