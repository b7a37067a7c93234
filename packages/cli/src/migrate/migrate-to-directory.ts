import { copyFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { join, relative } from "node:path";
import { DatabaseSnapshot } from "@tollgate/storage/backup/database-snapshot";
import { ControlStore } from "@tollgate/storage/config/control-store";
import { Directory } from "@tollgate/storage/config/directory";
import { type ControlDatabase, openControlDatabase } from "@tollgate/storage/database/open-control-database";
import { openControlReader } from "@tollgate/storage/database/open-control-reader";
import { hasTable } from "@tollgate/storage/database/schema-version";
import { UnfinishedMigration } from "@tollgate/storage/database/unfinished-migration";
import { nameOfDatabase } from "@tollgate/storage/engine/name-of-database";
import { type CopiedTable, copiedTables } from "@tollgate/storage/installation-copy/copied-tables";
import { copyTables } from "@tollgate/storage/installation-copy/copy-tables";
import { differingTables, digestTables } from "@tollgate/storage/installation-copy/digest-tables";
import { readSlots } from "@tollgate/storage/ledger/intent-journal";
import { Ledger } from "@tollgate/storage/ledger/ledger";
import { LEDGER_START, type LedgerPosition } from "@tollgate/storage/ledger/ledger-position";
import { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { compareCopy } from "@tollgate/storage/shared-ledger/compare-with-shared";
import { LedgerCopy } from "@tollgate/storage/shared-ledger/ledger-copy";
import { listNodes, NODE_SILENCE_MS } from "@tollgate/storage/shared-ledger/node-register";
import { namesIn, syncFolder } from "../backup/durable-files.ts";
import { reportProgress } from "../backup/report-progress.ts";
import type { Config } from "../config/config.ts";
import { UsageError } from "../config/usage-error.ts";
import { dataFiles } from "../data-directory/data-files.ts";
import { verifyInstallation } from "../data-directory/verify-installation.ts";
import { createIdentityTables } from "./create-identity-tables.ts";
import { holdDataDirectory } from "./hold-data-directory.ts";
import { holdDatabase } from "./hold-database.ts";
import { identifySource, refuseChanged } from "./identify-source.ts";
import { countedBefore, type Migrated, MigrationDiffers } from "./migrated.ts";
import { reportRows } from "./report-rows.ts";
import { unfinishedDirectory } from "./unfinished-directory.ts";

interface Options {
  readonly config: Config;
  /** The installation's PostgreSQL. */
  readonly url: string;
  readonly target: string;
  readonly note: (text: string) => void;
}

/** In the order of moving: without the last one, the directory is not an installation. */
const moved = ["secret", "ledger.db-intents", "ledger.db", "control.db"] as const;

/** Everything in the staging folder is verified; only moving it is left. */
const COMPLETE = "complete";

/**
 * Moves an installation from PostgreSQL into an empty data directory. The ledger comes from this machine, or, on a
 * control plane, from the shared ledger, whose positions become its seqs, as in a control plane's own copy.
 */
export async function migrateToDirectory(options: Options): Promise<Migrated> {
  const { config, target, url } = options;
  await refuseUsed(config.dataDir, target);
  const staging = unfinishedDirectory(target);
  mkdirSync(staging, { recursive: true, mode: 0o700 });
  const releases: (() => void | Promise<void>)[] = [];
  try {
    releases.push(holdDataDirectory(config.dataDir), holdDataDirectory(target), await holdDatabase(url));
    const counted = existsSync(join(staging, COMPLETE)) ? null : await migrate(options, staging);
    await moveFiles(staging, target);
    return { ...(counted ?? countedBefore), kept: nameOfDatabase(url) };
  } finally {
    for (const release of releases.reverse()) await release();
  }
}

async function migrate({ config, url, note }: Options, staging: string): Promise<Omit<Migrated, "kept">> {
  await refuseOtherVersion(url);
  const source = await openControlDatabase({ kind: "postgres", url });
  try {
    const target = await openControlDatabase({ kind: "sqlite", path: join(staging, "control.db") });
    try {
      if (config.role === "control") await refuseUnshipped(source);
      await createIdentityTables(config, target);
      const tables: CopiedTable[] = [];
      for (const table of await copiedTables(target.db)) {
        // Identity's tables are made by the first start.
        if (await hasTable(source.db, "postgres", table.name)) tables.push(table);
      }
      note("reading the source…");
      const digests = await digestTables(source.db, tables, reportRows(note, "reading"));
      const end = config.role === "control" ? await sharedEnd(source) : localEnd(config);
      const identity = identifySource(digests, end);
      await beginOrContinue(target, identity, note);
      await copyTables(source.db, target, tables, reportRows(note, "copying"));
      await (config.role === "control"
        ? copySharedLedger(source, join(staging, "ledger.db"))
        : copyLocalLedger(config, staging, note));
      note("verifying…");
      refuseChanged(identity, await digestTables(source.db, tables), end);
      const differences = differingTables(
        digests,
        await digestTables(target.db, tables, reportRows(note, "verifying")),
      );
      const ledger = new LedgerReader(join(staging, "ledger.db"));
      const directory = new Directory(join(staging, "control.db"));
      try {
        if (config.role === "control")
          differences.push(...(await compareCopy(source.db, ledger)).differences);
        if (!ledger.has(end) || ledger.newestSeq() !== end.seq) {
          differences.push(`the ledger ends at ${end.seq}, its copy at ${ledger.newestSeq()}`);
        }
        const verified = await verifyInstallation({
          role: "all",
          store: ControlStore.over(target),
          ledger,
          budgets: directory.allBudgets(),
          nodeId: null,
          note,
        });
        differences.push(...verified.differences);
        if (differences.length > 0) throw new MigrationDiffers(differences);
        writeFileSync(join(staging, COMPLETE), "", { mode: 0o600 });
        return {
          tables: digests.length,
          rows: digests.reduce((sum, { rows }) => sum + rows, 0),
          events: verified.events,
          total_microcents: verified.total_microcents,
          test_total_microcents: verified.test_total_microcents,
          not_compared: verified.not_compared,
        };
      } finally {
        directory.close();
        ledger.close();
      }
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

async function refuseUsed(dataDir: string, target: string): Promise<void> {
  if (!/^\.\.(\/|$)/.test(relative(dataDir, target))) {
    throw new UsageError("the new data directory must be outside the current one");
  }
  const names = (await namesIn(target)).filter(name => !/^tollgate\.(lock|pid)/.test(name));
  if (names.length === 0 || existsSync(unfinishedDirectory(target))) return;
  throw new UsageError(`${target} is not empty (${names[0]}): choose an empty or new directory`);
}

async function refuseOtherVersion(url: string): Promise<void> {
  const reader = await openControlReader({ kind: "postgres", url });
  await reader.close();
  if (!reader.isCurrent) {
    throw new UsageError(
      `${nameOfDatabase(url)} was written by another version: start and stop this version once, then migrate`,
    );
  }
}

/** Events that only a gateway has would be missing. */
async function refuseUnshipped(database: ControlDatabase): Promise<void> {
  for (const { id, silentForMs, unshippedEvents } of await listNodes(database)) {
    if (silentForMs <= NODE_SILENCE_MS) throw new UsageError(`gateway ${id} is running: stop it first`);
    if (unshippedEvents > 0) {
      throw new UsageError(
        `gateway ${id} has ${unshippedEvents} events that PostgreSQL lacks: start it once more, or remove it with \`svc nodes remove\``,
      );
    }
  }
}

async function sharedEnd({ db }: ControlDatabase): Promise<LedgerPosition> {
  const row = await db
    .selectFrom("shared_events")
    .select(["position as seq", "id as eventId"])
    .orderBy("position", "desc")
    .limit(1)
    .executeTakeFirst();
  return row ?? LEDGER_START;
}

function localEnd({ dataDir }: Config): LedgerPosition {
  const { ledger: path } = dataFiles(dataDir);
  if (!existsSync(path)) {
    throw new UsageError(
      `there is no ledger.db in ${dataDir}: set SVC_DATA_DIR, or SVC_ROLE=control on a control plane`,
    );
  }
  const ledger = new LedgerReader(path);
  try {
    return ledger.newestPosition();
  } finally {
    ledger.close();
  }
}

async function beginOrContinue(
  { db }: ControlDatabase,
  source: string,
  note: (text: string) => void,
): Promise<void> {
  const migration = new UnfinishedMigration(db, "sqlite");
  if (!(await migration.exists())) {
    await migration.begin(source);
    return;
  }
  if ((await migration.read("source")) !== source) {
    throw new UsageError(
      "that directory has an unfinished migration of another installation, or of this one before it changed: choose a new directory",
    );
  }
  note("continuing the migration");
}

/** Copied again as a whole after an interruption: it is one file. */
async function copyLocalLedger(config: Config, staging: string, note: (text: string) => void): Promise<void> {
  const { ledger: path, secret } = dataFiles(config.dataDir);
  const copy = join(staging, "ledger.db");
  for (const suffix of ["", "-wal", "-shm", "-intents"]) await rm(copy + suffix, { force: true });
  const snapshot = new DatabaseSnapshot(path);
  try {
    await snapshot.copyTo(copy, reportProgress(note, "ledger.db", snapshot.bytes));
  } finally {
    snapshot.close();
  }
  writeFileSync(`${copy}-intents`, readSlots(path), { mode: 0o600 });
  if (existsSync(secret)) copyFileSync(secret, join(staging, "secret"));
}

/** Continues at the end of what was copied before. */
async function copySharedLedger(source: ControlDatabase, path: string): Promise<void> {
  const ledger = new Ledger(path, "full");
  try {
    const reader = new LedgerReader(path);
    const end = reader.newestPosition();
    reader.close();
    await (await LedgerCopy.open(source, ledger, end)).refresh();
  } finally {
    ledger.close();
  }
}

async function moveFiles(staging: string, target: string): Promise<void> {
  const control = join(staging, "control.db");
  if (existsSync(control)) {
    const database = await openControlDatabase({ kind: "sqlite", path: control });
    const migration = new UnfinishedMigration(database.db, "sqlite");
    if (await migration.exists()) await migration.end();
    database.emptyLog();
    await database.close();
  }
  await syncFolder(staging);
  for (const name of moved) {
    if (existsSync(join(staging, name))) await rename(join(staging, name), join(target, name));
  }
  await syncFolder(target);
  await rm(staging, { recursive: true });
  await syncFolder(target);
}
