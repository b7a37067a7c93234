import { expect, it } from "bun:test";
import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../../../test/support/labs/temporary-folder.ts";
import { openDataFiles, restrictDataFiles } from "./restrict-data-files.ts";

const folder = temporaryFolder();

it("gives every file to its owner alone, also one that its owner could not write", () => {
  const dataDir = folder("data");
  mkdirSync(dataDir);
  const modes = { "control.db": 0o644, "control.db-shm": 0o400, "ledger.db": 0o600, secret: 0o000 };
  for (const [name, mode] of Object.entries(modes)) {
    writeFileSync(join(dataDir, name), "");
    chmodSync(join(dataDir, name), mode);
  }
  expect(openDataFiles(dataDir)).toEqual([join(dataDir, "control.db")]);
  restrictDataFiles(dataDir);
  for (const name of readdirSync(dataDir)) expect(statSync(join(dataDir, name)).mode & 0o777).toBe(0o600);
  expect(openDataFiles(dataDir)).toEqual([]);
});
