import { existsSync, renameSync } from "node:fs";
import { ControlStore } from "@tollgate/storage/config/control-store";
import { Directory } from "@tollgate/storage/config/directory";
import { type ControlDatabase, openControlDatabase } from "@tollgate/storage/database/open-control-database";
import { openControlReader } from "@tollgate/storage/database/open-control-reader";
import type { ControlDb, ControlSchema } from "@tollgate/storage/database/schema";
import { UnfinishedMigration } from "@tollgate/storage/database/unfinished-migration";
import { BunPostgresDialect } from "@tollgate/storage/engine/bun-postgres-dialect";
import { nameOfDatabase } from "@tollgate/storage/engine/name-of-database";
import { emptyLog, openForWriting } from "@tollgate/storage/engine/sqlite";
import { readSeq } from "@tollgate/storage/following/stored-position";
import { copiedTables } from "@tollgate/storage/installation-copy/copied-tables";
import { copyTables } from "@tollgate/storage/installation-copy/copy-tables";
import { differingTables, digestTables } from "@tollgate/storage/installation-copy/digest-tables";
import { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { shipLedger, shippingReader } from "@tollgate/storage/shared-ledger/ship-ledger";
import { RefusalShipping } from "@tollgate/storage/shared-ledger/ship-refusals";
import { SQL } from "bun";
import { Kysely, sql } from "kysely";
import type { Config } from "../config/config.ts";
import { UsageError } from "../config/usage-error.ts";
import { writePostgresMark } from "../data-directory/control-database.ts";
import { dataFiles } from "../data-directory/data-files.ts";
import { loadOrCreateNodeId } from "../data-directory/load-or-create-node-id.ts";
import { verifyInstallation } from "../data-directory/verify-installation.ts";
import { createIdentityTables } from "./create-identity-tables.ts";
import { divideLimits } from "./divide-limits.ts";
import { holdDataDirectory } from "./hold-data-directory.ts";
import { holdDatabase } from "./hold-database.ts";
import { identifySource, refuseChanged } from "./identify-source.ts";
import { countedBefore, type Migrated, MigrationDiffers } from "./migrated.ts";
import { reportRows } from "./report-rows.ts";

const SHOW_SHIPPING_EVERY_MS = 5000;

interface Options {
  readonly config: Config;
  readonly url: string;
  readonly note: (text: string) => void;
}

/**
 * Moves an embedded installation to PostgreSQL. Tables are copied, not derived again: their ids refer to each other, and
 * deriving would repeat alerts and messages. The ledger stays where it is and is shipped as well, so that its positions
 * in PostgreSQL equal its own and every cursor is right on one machine and on several.
 *
 * `unfinished_migration` exists in the target from the first statement to the last. The data directory changes only after
 * everything has been verified.
 */
export async function migrateToPostgres({ config, url, note }: Options): Promise<Migrated> {
  const { dataDir } = config;
  const files = dataFiles(dataDir);
  if (!existsSync(files.control) || !existsSync(files.ledger)) {
    if (!existsSync(files.postgresMark)) {
      throw new UsageError(`there is nothing to migrate in ${dataDir}: ledger.db or control.db is missing`);
    }
  }
  const releaseDirectory = holdDataDirectory(dataDir);
  try {
    const releaseDatabase = await holdDatabase(url);
    try {
      if (existsSync(files.postgresMark)) return await finishAgain(config, url);
      return await migrate({ config, url, note });
    } finally {
      await releaseDatabase();
    }
  } finally {
    releaseDirectory();
  }
}

async function migrate({ config, url, note }: Options): Promise<Migrated> {
  const files = dataFiles(config.dataDir);
  const source = await openControlReader({ kind: "sqlite", path: files.control });
  const ledger = new LedgerReader(files.ledger);
  try {
    if (!source.isCurrent || !ledger.isCurrent()) {
      throw new UsageError(
        `${config.dataDir} was written by another version: start and stop this version there once, then migrate`,
      );
    }
    const tables = await copiedTables(source.db);
    note("reading the source…");
    const digests = await digestTables(source.db, tables, reportRows(note, "reading"));
    const identity = identifySource(digests, ledger.newestPosition());
    await beginOrContinue(url, identity, note);
    const target = await openControlDatabase({ kind: "postgres", url }, "migration");
    try {
      await createIdentityTables(config, target);
      await copyTables(source.db, target, tables, reportRows(note, "copying"));
      const nodeId = loadOrCreateNodeId(config);
      await ship(target, ledger, nodeId, note);
      const directory = new Directory(files.control);
      try {
        await divideLimits(target.db, directory, ledger, nodeId, Date.now());
        note("verifying…");
        refuseChanged(identity, await digestTables(source.db, tables), ledger.newestPosition());
        const differences = differingTables(
          digests,
          await digestTables(target.db, tables, reportRows(note, "verifying")),
        );
        const end = await target.db
          .selectFrom("shared_ledger_end")
          .select("position")
          .executeTakeFirstOrThrow();
        if (end.position !== ledger.newestSeq()) {
          differences.push(`the ledger ends at ${ledger.newestSeq()}, its copy at ${end.position}`);
        }
        const verified = await verifyInstallation({
          role: "all",
          store: ControlStore.over(target),
          ledger,
          budgets: directory.allBudgets(),
          nodeId,
          note,
        });
        differences.push(...verified.differences);
        if (differences.length > 0) throw new MigrationDiffers(differences);
        await new UnfinishedMigration(target.db, "postgres").write("verified", "yes");
        return {
          tables: digests.length,
          rows: digests.reduce((sum, { rows }) => sum + rows, 0),
          events: verified.events,
          total_microcents: verified.total_microcents,
          test_total_microcents: verified.test_total_microcents,
          not_compared: verified.not_compared,
          ...(await finish(config, target)),
        };
      } finally {
        directory.close();
      }
    } finally {
      await target.close();
    }
  } finally {
    ledger.close();
    await source.close();
  }
}

/** Creates the mark of an unfinished migration in an empty database, or recognizes the one of this source. */
async function beginOrContinue(url: string, source: string, note: (text: string) => void): Promise<void> {
  const db: ControlDb = new Kysely<ControlSchema>({
    dialect: new BunPostgresDialect(new SQL(url, { bigint: true, max: 1 })),
  });
  const name = nameOfDatabase(url);
  try {
    const migration = new UnfinishedMigration(db, "postgres");
    if (await migration.exists()) {
      if ((await migration.read("source")) !== source) {
        throw new UsageError(
          `${name} has an unfinished migration of another installation, or of this one before it changed: migrate to a new database`,
        );
      }
      note(`continuing the migration to ${name}`);
      return;
    }
    const { rows } = await sql<{ name: string }>`
      SELECT table_name AS name FROM information_schema.tables WHERE table_schema = current_schema() LIMIT 1
    `.execute(db);
    if (rows.length > 0) {
      throw new UsageError(
        `${name} is not empty (it has a table ${rows[0]?.name}): migrate to a new database`,
      );
    }
    await migration.begin(source);
  } finally {
    await db.destroy();
  }
}

async function ship(
  target: ControlDatabase,
  ledger: LedgerReader,
  nodeId: string,
  note: (text: string) => void,
): Promise<void> {
  const newest = ledger.newestSeq();
  const report = async () => {
    note(`copying the ledger: ${await readSeq(target.db, shippingReader(nodeId))} of ${newest} events…`);
  };
  // A fault shows itself in what is shipped; the report alone must not end the migration.
  const timer = setInterval(() => void report().catch(() => {}), SHOW_SHIPPING_EVERY_MS);
  try {
    await shipLedger(target, ledger, nodeId).catchUp();
    const refusals = new RefusalShipping(target, ledger, nodeId, () => {});
    while ((await refusals.ship()) === "again");
  } finally {
    clearInterval(timer);
  }
}

/** Everything is in PostgreSQL and verified: from the first step on, this directory needs SVC_DATABASE_URL. */
async function finish(config: Config, target: Pick<ControlDatabase, "db">): Promise<{ kept: string }> {
  const { control, postgresMark } = dataFiles(config.dataDir);
  const kept = `${control}.before-migration`;
  if (!existsSync(postgresMark)) writePostgresMark(config);
  if (existsSync(control)) {
    const database = openForWriting(control, "full");
    emptyLog(database);
    database.close();
    renameSync(control, kept);
  }
  await new UnfinishedMigration(target.db, "postgres").end();
  return { kept };
}

/** The migration was killed during its last steps. */
async function finishAgain(config: Config, url: string): Promise<Migrated> {
  const target = await openControlDatabase({ kind: "postgres", url }, "migration");
  try {
    const migration = new UnfinishedMigration(target.db, "postgres");
    if (!(await migration.exists()) || (await migration.read("verified")) === null) {
      throw new UsageError(`the data of ${config.dataDir} is in PostgreSQL already: set SVC_DATABASE_URL`);
    }
    return { ...countedBefore, ...(await finish(config, target)) };
  } finally {
    await target.close();
  }
}
