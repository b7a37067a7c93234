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
    if (engine === "sqlite") return { kind: "sqlite", path: inFolder(`control-${++made}.db`) };
    const { url, drop } = await freshPostgres();
    undo.push(drop);
    return { kind: "postgres", url };
  }

  async function open(engine: Engine): Promise<ControlDatabase> {
    const database = await openControlDatabase(await place(engine));
    undo.push(() => database.close());
    return database;
  }

  return { place, open };
}
