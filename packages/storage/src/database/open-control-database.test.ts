import { expect, it } from "bun:test";
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { temporaryFolder } from "../../../../test/support/labs/temporary-folder.ts";
import { organizationRow } from "../../../../test/support/rows/organization-row.ts";
import { openControlDatabase } from "./open-control-database.ts";

const inFolder = temporaryFolder();
const open = (path: string) => openControlDatabase({ kind: "sqlite", path });

it("the version of a file changes with a commit, not before it: queries do not see open transactions", async () => {
  const { db, version, close } = await open(inFolder("version.db"));
  const before = version();
  await db.transaction().execute(async transaction => {
    await transaction.insertInto("organizations").values(organizationRow()).execute();
    expect(version()).toBe(before);
  });
  const after = version();
  expect(after).not.toBe(before);
  expect(version()).toBe(after);
  await close();
});

it("a file that was opened without a query is closed, too", async () => {
  const path = inFolder("unused.db");
  const { close } = await open(path);
  expect(existsSync(`${path}-wal`)).toBe(true);
  await close();
  // SQLite removes its log with the last connection.
  expect(existsSync(`${path}-wal`)).toBe(false);
});

it("leaves no connection open if the second cannot be opened", async () => {
  const path = inFolder("half-open.db");
  const { close } = await open(path);
  await close();
  // SQLite resolves `..` itself and opens the file. To the operating system, this path does not exist.
  await expect(open(`${dirname(path)}/missing/../half-open.db`)).rejects.toThrow("does not exist");
  expect(existsSync(`${path}-wal`)).toBe(false);
});
