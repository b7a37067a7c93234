import { Database } from "bun:sqlite";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openControlDatabase } from "@tollgate/storage/database/open-control-database";

let migrated: Promise<Uint8Array> | undefined;

/**
 * Writes a migrated, empty SQLite control database. It is migrated once per test process and then copied: migrations
 * take longer than most tests that need them. Tests of the migrations start without a file.
 */
export async function writeMigratedFile(path: string): Promise<void> {
  migrated ??= migrate();
  writeFileSync(path, await migrated);
}

async function migrate(): Promise<Uint8Array> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-migrated-"));
  const path = join(folder, "control.db");
  await (await openControlDatabase({ kind: "sqlite", path })).close();
  const database = new Database(path);
  const bytes = database.serialize();
  database.close();
  rmSync(folder, { recursive: true });
  return bytes;
}
