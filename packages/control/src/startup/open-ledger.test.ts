import { Database } from "bun:sqlite";
import { describe, expect, it } from "bun:test";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Log } from "@tollgate/core/log";
import { migrate } from "@tollgate/storage/engine/sqlite";
import { Ledger } from "@tollgate/storage/ledger/ledger";
import { ledgerMigrations } from "@tollgate/storage/ledger/migrations";
import { temporaryFolder } from "../../../../test/support/labs/temporary-folder.ts";
import { eventually } from "../../../../test/support/waiting/eventually.ts";
import { openLedger } from "./open-ledger.ts";

const inFolder = temporaryFolder();
let files = 0;

/** Opens a ledger at a time that only `advance` moves. */
function opening(path: string) {
  const lines: Parameters<Log>[] = [];
  let atMs = 0;
  let attempts = 0;
  const opened = openLedger(
    path,
    (...line) => lines.push(line),
    () => {
      attempts++;
      return atMs;
    },
  );
  return {
    lines,
    async advance(ms: number) {
      atMs += ms;
      const before = attempts;
      await eventually("it tried again, and finished that", () => attempts > before + 1);
    },
    /** Creates the ledger as the gateway does. */
    async finish() {
      const ledger = new Ledger(path, "normal");
      const reader = await opened;
      reader.close();
      ledger.close();
    },
  };
}

function writeLedger(path: string, migrations: readonly string[]) {
  const database = new Database(path, { create: true });
  migrate(database, migrations);
  database.close();
}

const inLedger = (write: (path: string) => void) => (folder: string) => {
  mkdirSync(folder);
  write(join(folder, "ledger.db"));
};

const waiting = ["warn", "waiting for the gateway to create or migrate the ledger"];

describe("opening the ledger", () => {
  it.each([
    ["file", () => {}],
    ["table", (path: string) => writeLedger(path, [])],
    ["column", (path: string) => writeLedger(path, ledgerMigrations.slice(0, 2))],
  ])("waits for the gateway to create a missing %s, and says so once", async (_, prepare) => {
    const path = inFolder(`ledger-${files++}.db`);
    prepare(path);
    const { lines, advance, finish } = opening(path);
    await advance(10_000);
    expect(lines).toEqual([]);
    await advance(1);
    await advance(120_000);
    expect(lines).toEqual([waiting] as never);
    await finish();
  });

  it.each([
    [
      "a file that is no database",
      "SQLiteError SQLITE_NOTADB",
      inLedger(path => writeFileSync(path, "x".repeat(4096))),
    ],
    [
      "a current version without its tables",
      "SQLiteError",
      inLedger(path =>
        writeLedger(
          path,
          ledgerMigrations.map(() => "SELECT 1"),
        ),
      ),
    ],
    ["a folder that is a file", "Error ENOTDIR", (folder: string) => writeFileSync(folder, "")],
  ])("reports %s once a minute, and goes on trying", async (_, fault, prepare) => {
    const folder = inFolder(`folder-${files++}`);
    prepare(folder);
    const path = join(folder, "ledger.db");
    const { lines, advance, finish } = opening(path);
    const report = [
      "error",
      "cannot read the ledger; retrying",
      { fault: expect.stringContaining(fault), at: expect.any(String) },
    ];
    await advance(59_999);
    expect(lines).toEqual([report] as never);
    await advance(1);
    expect(lines).toEqual([report, report] as never);
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
    await finish();
  });
});
