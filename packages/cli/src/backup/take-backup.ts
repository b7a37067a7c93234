import { existsSync, readFileSync, realpathSync, statfsSync, statSync } from "node:fs";
import { chmod, mkdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { checkDatabase } from "@tollgate/storage/backup/check-database";
import { DatabaseSnapshot } from "@tollgate/storage/backup/database-snapshot";
import { intentsIn, journalPath, readSlots } from "@tollgate/storage/ledger/intent-journal";
import { UsageError } from "../config/usage-error.ts";
import { dataFiles } from "../data-directory/data-files.ts";
import { isThere } from "../data-directory/is-there.ts";
import { digestOf, namesIn, syncFolder, writeDurably } from "./durable-files.ts";
import { BACKUP_FORMAT, type BackupFile, MANIFEST, type Manifest } from "./manifest.ts";
import { megabytes, reportProgress } from "./report-progress.ts";

interface BackupOptions {
  readonly dataDir: string;
  readonly target: string;
  readonly version: string;
  readonly nowMs: number;
  readonly note: (text: string) => void;
}

const PARTIAL = ".partial";
const MAX_TRIES = 100;

/**
 * Copies an installation while it runs. Files are written under temporary names first and the manifest last, so that
 * an unfinished copy is not mistaken for a backup.
 */
export async function takeBackup(options: BackupOptions): Promise<Manifest> {
  const { dataDir, target } = options;
  refuseInside(dataDir, target);
  await refuseUsed(target);
  const snapshot = takeSnapshot(dataDir);
  if (!existsSync(journalPath(dataFiles(dataDir).ledger))) {
    options.note("ledger.db-intents is missing: calls in flight are not in this backup");
  }
  const made = (await mkdir(target, { recursive: true, mode: 0o700 })) !== undefined;
  try {
    return await writeBackup(options, snapshot);
  } catch (fault) {
    // The folder was empty before.
    for (const name of await namesIn(target)) await rm(join(target, name), { force: true });
    if (made) await rm(target, { recursive: true, force: true });
    throw fault;
  } finally {
    snapshot.ledger.close();
    snapshot.control.close();
  }
}

interface Snapshot {
  /** The journal of calls in flight, as it is on disk. */
  readonly intents: Uint8Array;
  readonly openCalls: number;
  readonly control: DatabaseSnapshot;
  readonly ledger: DatabaseSnapshot;
}

/**
 * A consistent copy of three files that change independently. The order makes them consistent: a call in the journal,
 * which is read first, is still open or has its event in the ledger, which is read last; and no cursor in `control.db`
 * is ahead of that ledger. If the configuration changes in between it starts over, because a budget reset spans both.
 */
function takeSnapshot(dataDir: string): Snapshot {
  const files = dataFiles(dataDir);
  for (const path of [files.ledger, files.control]) {
    if (!isThere(path)) throw new UsageError(`there is nothing to back up: ${path} does not exist`);
  }
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const intents = readSlots(files.ledger);
    const control = new DatabaseSnapshot(files.control);
    const ledger = new DatabaseSnapshot(files.ledger);
    const later = new DatabaseSnapshot(files.control);
    const isSame = revisionOf(control) === revisionOf(later);
    later.close();
    if (isSame) {
      const openCalls = intentsIn(intents).filter(
        ({ id }) => !ledger.has("SELECT 1 FROM events WHERE id = ?", id),
      ).length;
      return { intents, openCalls, control, ledger };
    }
    ledger.close();
    control.close();
  }
  throw new Error("the configuration keeps changing: try again later");
}

function revisionOf(control: DatabaseSnapshot): number {
  return control.number("SELECT revision FROM config_revision");
}

async function writeBackup(options: BackupOptions, snapshot: Snapshot): Promise<Manifest> {
  const { dataDir, target, note } = options;
  const { ledger, control, intents } = snapshot;
  await chmod(target, 0o700);
  refuseFullDisk(target, ledger.bytes + control.bytes + intents.length);
  const written: BackupFile[] = [];
  const partial = (name: BackupFile) => {
    written.push(name);
    return join(target, name + PARTIAL);
  };

  const summary = {
    schema_version: ledger.number("PRAGMA user_version"),
    newest_seq: ledger.number("SELECT max(seq) FROM events"),
    newest_event_id: ledger.text("SELECT id FROM events ORDER BY seq DESC LIMIT 1"),
    open_calls: snapshot.openCalls,
  };
  const controlSchema = control.number("PRAGMA user_version");
  // The ledger first: until it is closed, its log cannot be reused, and calls write to that log.
  await ledger.copyTo(partial("ledger.db"), reportProgress(note, "ledger.db", ledger.bytes));
  ledger.close();
  await control.copyTo(partial("control.db"), reportProgress(note, "control.db", control.bytes));
  control.close();
  await writeDurably(partial("ledger.db-intents"), intents);
  const { secret, nodeId, postgresMark } = dataFiles(dataDir);
  for (const [name, path] of [
    ["secret", secret],
    ["node-id", nodeId],
    ["control-in-postgres", postgresMark],
  ] as const) {
    if (existsSync(path)) await writeDurably(partial(name), readFileSync(path));
  }

  for (const name of ["ledger.db", "control.db"]) refuseDamaged(name, join(target, name + PARTIAL));
  const files: Manifest["files"] = [];
  for (const name of written) {
    const path = join(target, name);
    await chmod(path + PARTIAL, 0o600);
    files.push({ name, bytes: statSync(path + PARTIAL).size, sha256: await digestOf(path + PARTIAL) });
    await rename(path + PARTIAL, path);
  }
  const manifest: Manifest = {
    format: BACKUP_FORMAT,
    version: options.version,
    created_at: new Date(options.nowMs).toISOString(),
    control_database: existsSync(postgresMark) ? "postgres" : "sqlite",
    ledger: summary,
    control: { schema_version: controlSchema },
    files,
  };
  await syncFolder(target);
  const manifestPath = join(target, MANIFEST);
  await writeDurably(manifestPath + PARTIAL, `${JSON.stringify(manifest, null, 2)}\n`);
  await rename(manifestPath + PARTIAL, manifestPath);
  await syncFolder(target);
  await syncFolder(dirname(target));
  return manifest;
}

async function refuseUsed(target: string): Promise<void> {
  const names = await namesIn(target);
  if (names.length === 0) return;
  const isUnfinished = !names.includes(MANIFEST) && names.some(name => name.endsWith(PARTIAL));
  throw new UsageError(
    isUnfinished
      ? `${target} holds a backup that was not finished: delete it, or choose another directory`
      : `${target} is not empty: choose an empty or new directory`,
  );
}

/** Pages are copied unchecked. A damaged backup must be detected now, not on the day it is needed. */
function refuseDamaged(name: string, copy: string): void {
  const [finding] = checkDatabase(copy);
  if (finding !== undefined) throw new UsageError(`${name} is damaged, so no backup was made: ${finding}`);
}

function refuseInside(dataDir: string, target: string): void {
  if (!/^\.\.(\/|$)/.test(relative(realPathOf(resolve(dataDir)), realPathOf(resolve(target))))) {
    throw new UsageError("the backup must be outside the data directory");
  }
}

/** The resolved path, even if it does not exist yet: a parent may be a link into the data directory. */
function realPathOf(path: string): string {
  return existsSync(path) ? realpathSync(path) : join(realPathOf(dirname(path)), basename(path));
}

function refuseFullDisk(target: string, neededBytes: number): void {
  const { bavail, bsize } = statfsSync(target);
  if (bavail * bsize >= neededBytes) return;
  throw new UsageError(
    `${target} has ${megabytes(bavail * bsize)} free, but the backup needs ${megabytes(neededBytes)}`,
  );
}
