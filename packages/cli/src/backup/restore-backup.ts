import { chmodSync, existsSync, lstatSync, readFileSync } from "node:fs";
import { copyFile, mkdir, open, rename, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { plainIssues } from "@tollgate/core/wire/plain-issues";
import { checkDatabase } from "@tollgate/storage/backup/check-database";
import { DatabaseSnapshot } from "@tollgate/storage/backup/database-snapshot";
import { CONTROL_VERSION } from "@tollgate/storage/database/migrate-control";
import { namingFile } from "@tollgate/storage/engine/naming-file";
import { checkedVersion } from "@tollgate/storage/engine/sqlite";
import { ledgerMigrations } from "@tollgate/storage/ledger/migrations";
import { UsageError } from "../config/usage-error.ts";
import { dataFiles, planeLocks } from "../data-directory/data-files.ts";
import { alreadyRunning, becomeInstance, findRunningInstance } from "../data-directory/instance.ts";
import { isOwned } from "../data-directory/single-owner.ts";
import { digestOf, namesIn, syncFolder } from "./durable-files.ts";
import { backupFiles, MANIFEST, type Manifest, manifestSchema } from "./manifest.ts";
import { unfinishedRestore } from "./unfinished-restore.ts";

interface RestoreOptions {
  readonly source: string;
  readonly dataDir: string;
  readonly note: (text: string) => void;
}

/** Restores a backup into an empty data directory. Nothing is written before every file has been verified. */
export async function restoreBackup(options: RestoreOptions): Promise<Manifest> {
  const { source, dataDir, note } = options;
  await refuseUsed(dataDir);
  const manifest = readManifest(source);
  await checkFiles(source, manifest, note);
  checkContent(source, manifest);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  // The lock keeps an instance from starting during the restore.
  const release = becomeInstance(dataDir);
  try {
    await copyFiles(source, dataDir, manifest);
  } finally {
    release();
  }
  return manifest;
}

/** Copies everything into a separate folder first. Renames, which need no disk space, come last. */
async function copyFiles(source: string, dataDir: string, { files }: Manifest): Promise<void> {
  const staging = unfinishedRestore(dataDir);
  await mkdir(staging, { mode: 0o700 });
  const names = backupFiles.filter(name => files.some(file => file.name === name));
  try {
    for (const name of names) await copyDurably(join(source, name), join(staging, name));
  } catch (fault) {
    await rm(staging, { recursive: true, force: true });
    throw fault;
  }
  for (const name of names) await rename(join(staging, name), join(dataDir, name));
  await syncFolder(dataDir);
  await rm(staging, { recursive: true });
  await syncFolder(dataDir);
}

async function copyDurably(from: string, to: string): Promise<void> {
  await copyFile(from, to);
  chmodSync(to, 0o600);
  const file = await open(to, "r+");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

async function refuseUsed(dataDir: string): Promise<void> {
  const running = findRunningInstance(dataDir);
  const files = dataFiles(dataDir);
  if (running || planeLocks(files).some(isOwned)) {
    throw new UsageError(alreadyRunning(dataDir, running?.pid ?? null));
  }
  // Files that only name the running processes are not data.
  const empty = [files.instanceLock, ...planeLocks(files), files.pid].map(path => basename(path));
  const name = (await namesIn(dataDir)).find(found => !empty.includes(found));
  if (name === undefined) return;
  throw new UsageError(
    `the data directory ${dataDir} is not empty (${name}): move its files elsewhere, or set SVC_DATA_DIR to another directory`,
  );
}

function readManifest(source: string): Manifest {
  const path = join(source, MANIFEST);
  if (!existsSync(path)) {
    throw new UsageError(`${source} is not a backup, or one that was not finished: ${MANIFEST} is missing`);
  }
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, "utf8"));
  } catch {
    throw new UsageError(`${path} cannot be read`);
  }
  const parsed = manifestSchema.safeParse(content, plainIssues);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new UsageError(`${path} is not valid: ${issue?.path.join(".")}: ${issue?.message}`);
}

async function checkFiles(source: string, manifest: Manifest, note: (text: string) => void): Promise<void> {
  // Without the journal, the calls that were in flight would be neither listed nor counted in budgets.
  const journal = manifest.ledger.open_calls > 0 ? (["ledger.db-intents"] as const) : [];
  for (const needed of ["ledger.db", "control.db", ...journal] as const) {
    if (!manifest.files.some(({ name }) => name === needed)) {
      throw new UsageError(`the backup is incomplete: ${MANIFEST} does not list ${needed}`);
    }
  }
  for (const { name, bytes, sha256 } of manifest.files) {
    note(`checking ${name}…`);
    const path = join(source, name);
    // Links are not followed: a backup from elsewhere must not read other files of this machine.
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined) throw new UsageError(`the backup is incomplete: ${name} is missing`);
    if (!found.isFile()) throw new UsageError(`the backup is damaged: ${name} is not a file`);
    if (found.size !== bytes || (await digestOf(path)) !== sha256) {
      throw new UsageError(`the backup is damaged: ${name} has changed since it was written`);
    }
  }
}

function checkContent(source: string, { ledger, control }: Manifest): void {
  const versions = [
    ["ledger.db", ledger.schema_version, ledgerMigrations.length],
    ["control.db", control.schema_version, CONTROL_VERSION],
  ] as const;
  for (const [name, version, known] of versions) {
    namingFile(join(source, name), () => checkedVersion(version, known));
  }
  for (const name of ["ledger.db", "control.db"]) {
    const [finding] = checkDatabase(join(source, name));
    if (finding !== undefined) throw new UsageError(`the backup is damaged: ${name}: ${finding}`);
  }
  const copy = new DatabaseSnapshot(join(source, "ledger.db"));
  const newest = copy.text("SELECT id FROM events ORDER BY seq DESC LIMIT 1");
  copy.close();
  if (newest !== ledger.newest_event_id) {
    throw new UsageError(`the backup is damaged: its newest event is not the one listed in ${MANIFEST}`);
  }
}
