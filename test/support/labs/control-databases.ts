import { afterAll } from "bun:test";
import {
  type ControlDatabase,
  type ControlDatabaseOptions,
  type Engine,
  openControlDatabase,
} from "@tollgate/storage/database/open-control-database";
import { freshPostgres } from "../servers/postgres.ts";
import { temporaryFolder } from "./temporary-folder.ts";

export const engines: readonly Engine[] = ["sqlite", "postgres"];

/** Migrated once in a test process and then copied: migrations take longer than most tests that need them. */
let migratedPostgres: Promise<string> | undefined;

async function migratePostgres(): Promise<string> {
  const { name, url } = await freshPostgres();
  await (await openControlDatabase({ kind: "postgres", url })).close();
  return name;
}

export interface TestControlDatabases {
  /** Where a new, empty database is to be opened. */
  place(engine: Engine): Promise<ControlDatabaseOptions>;
  open(engine: Engine): Promise<ControlDatabase>;
}

/** Control databases for the tests of one file, on both engines; all of them are gone after the last test. */
export function controlDatabases(): TestControlDatabases {
  const inFolder = temporaryFolder();
  const undo: (() => Promise<void>)[] = [];
  afterAll(async () => {
    for (const step of undo.reverse()) await step();
  });
  let made = 0;

  async function place(engine: Engine): Promise<ControlDatabaseOptions> {
    return engine === "sqlite" ? newFile() : await newPostgres();
  }

  const newFile = (): ControlDatabaseOptions => ({
    kind: "sqlite",
    path: inFolder(`control-${++made}.db`),
  });

  async function newPostgres(template?: string): Promise<ControlDatabaseOptions> {
    const { url, drop } = await freshPostgres(template);
    undo.push(drop);
    return { kind: "postgres", url };
  }

  async function open(engine: Engine): Promise<ControlDatabase> {
    if (engine === "postgres") migratedPostgres ??= migratePostgres();
    const database = await openControlDatabase(
      engine === "sqlite" ? newFile() : await newPostgres(await migratedPostgres),
    );
    undo.push(() => database.close());
    return database;
  }

  return { place, open };
}
