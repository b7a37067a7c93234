import { expect, it } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../../../test/support/labs/temporary-folder.ts";
import { readConfig } from "../config/config.ts";
import { loadOrCreateNodeId } from "./load-or-create-node-id.ts";

const folder = temporaryFolder();

function newDataDir(name: string): string {
  const path = folder(name);
  mkdirSync(path);
  return path;
}

it("creates the name once, and leaves no other file", () => {
  const dataDir = newDataDir("new");
  const made = loadOrCreateNodeId(readConfig({ SVC_DATA_DIR: dataDir }));
  expect(loadOrCreateNodeId(readConfig({ SVC_DATA_DIR: dataDir }))).toBe(made);
  expect(readdirSync(dataDir)).toEqual(["node-id"]);
  expect(readFileSync(join(dataDir, "node-id"), "utf8")).toBe(`${made}\n`);
});

it("refuses an empty file: as a name it would be that of any node", () => {
  const dataDir = newDataDir("empty");
  writeFileSync(join(dataDir, "node-id"), "");
  expect(() => loadOrCreateNodeId(readConfig({ SVC_DATA_DIR: dataDir }))).toThrow(
    `${join(dataDir, "node-id")} is empty`,
  );
});
