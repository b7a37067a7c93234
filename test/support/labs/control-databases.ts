import { afterAll } from "bun:test";
import {
  type ControlDatabase,
  type ControlDatabaseOptions,
  type Engine,
  openControlDatabase,
} from "@tollgate/storage/database/open-control-database";
import { freshPostgres } from "../servers/postgres.ts";
import { temporaryFolder } from "./temporary-folder.ts";
import { writeMigratedFile } from "./write-migrated-file.ts";

export const engines: readonly Engine[] = ["sqlite", "postgres"];

/** Migrated once per test process and then copied, like the SQLite file. */
let migratedPostgres: Promise<string> | undefined;

async function migratePostgres(): Promise<string> {
  const { name, url } = await freshPostgres();
  await (await openControlDatabase({ kind: "postgres", url })).close();
  return name;
}

export interface TestControlDatabases {
  /** Where to open a new database, migrated and empty. */
  place(engine: Engine): Promise<ControlDatabaseOptions>;
  /** Where to open and migrate a new database. */
  placeUnmigrated(engine: Engine): Promise<ControlDatabaseOptions>;
  open(engine: Engine): Promise<ControlDatabase>;
}

/** Control databases for the tests of one file, on both engines; all are deleted after the last test. */
export function controlDatabases(): TestControlDatabases {
  const inFolder = temporaryFolder();
  const undo: (() => Promise<void>)[] = [];
  afterAll(async () => {
    for (const step of undo.reverse()) await step();
  });
  let made = 0;

  async function place(engine: Engine): Promise<ControlDatabaseOptions> {
    if (engine === "postgres") {
      migratedPostgres ??= migratePostgres();
      return await newPostgres(await migratedPostgres);
    }
    const file = newFile();
    await writeMigratedFile(file.path);
    return file;
  }

  async function placeUnmigrated(engine: Engine): Promise<ControlDatabaseOptions> {
    return engine === "sqlite" ? newFile() : await newPostgres();
  }

  const newFile = () => ({ kind: "sqlite", path: inFolder(`control-${++made}.db`) }) as const;

  async function newPostgres(template?: string): Promise<ControlDatabaseOptions> {
    const { url, drop } = await freshPostgres(template);
    undo.push(drop);
    return { kind: "postgres", url };
  }

  async function open(engine: Engine): Promise<ControlDatabase> {
    const database = await openControlDatabase(await place(engine));
    undo.push(() => database.close());
    return database;
  }

  return { place, placeUnmigrated, open };
}
