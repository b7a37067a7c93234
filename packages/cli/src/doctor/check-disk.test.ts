import { expect, it } from "bun:test";
import { mkdirSync, truncateSync, writeFileSync } from "node:fs";
import { temporaryFolder } from "../../../../test/support/labs/temporary-folder.ts";
import { readConfig } from "../config/config.ts";
import { dataFiles } from "../data-directory/data-files.ts";
import { checkDisk } from "./check-disk.ts";

const inFolder = temporaryFolder();
let made = 0;

async function checked(freeBytes: number | null, logBytes = 0): Promise<string[]> {
  const dataDir = inFolder(`data-${++made}`);
  const files = dataFiles(dataDir);
  mkdirSync(dataDir);
  writeFileSync(`${files.ledger}-wal`, "");
  // Sparse: it takes no space.
  truncateSync(`${files.ledger}-wal`, logBytes);
  const found: string[] = [];
  const config = readConfig({ SVC_DATA_DIR: dataDir });
  const patient = { config, files, running: null, nowMs: 0, depth: "quick", freeBytes } as const;
  await checkDisk.run(patient, (level, message) => found.push(`${level}: ${message}`));
  return found;
}

it.each([
  [0, "error"],
  [199_999_999, "error"],
  [200_000_000, "warning"],
  [1_999_999_999, "warning"],
  [2_000_000_000, "ok"],
])("finds with %d bytes free: %s", async (freeBytes, level) => {
  expect(await checked(freeBytes)).toEqual([expect.stringMatching(new RegExp(`^${level}: .* free; `))]);
});

it("finds that the free space cannot be read", async () => {
  expect(await checked(null)).toEqual(["error: the free space cannot be read"]);
});

it("warns of a write-ahead log above 512 MB", async () => {
  const enough = expect.stringMatching(/^ok: /);
  expect(await checked(1e12, 512_000_000)).toEqual([enough]);
  expect(await checked(1e12, 512_000_001)).toEqual([
    enough,
    expect.stringContaining("ledger.db-wal is 513 MB"),
  ]);
});
