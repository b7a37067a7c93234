import { expect, it } from "bun:test";
import { mkdirSync } from "node:fs";
import { temporaryFolder } from "../../../../test/support/labs/temporary-folder.ts";
import { dataFiles, planeLocks } from "../data-directory/data-files.ts";
import { becomeSingleOwner } from "../data-directory/single-owner.ts";
import { restoreBackup } from "./restore-backup.ts";

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
