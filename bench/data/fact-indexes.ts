import { join } from "node:path";
import { type ControlDatabase, openControlDatabase } from "@tollgate/storage/database/open-control-database";
import { sql } from "kysely";
import { progress } from "../gateway/progress.ts";
import { temporaryDirectory } from "../gateway/temporary-directory.ts";

interface Index {
  readonly name: string;
  readonly definition: string;
}

/**
 * Facts are written without their indexes, which are then created sorted: adding a hundred million facts to thirteen indexes one
 * by one takes most of the time of a build. Nothing is remembered between the two, so an interrupted build can be continued.
 */
export async function dropFactIndexes(database: ControlDatabase): Promise<void> {
  for (const { name } of await factIndexes(database))
    await sql`DROP INDEX ${sql.id(name)}`.execute(database.db);
}

export async function createFactIndexes(database: ControlDatabase): Promise<void> {
  const existing = new Set((await factIndexes(database)).map(({ name }) => name));
  for (const { name, definition } of await standardIndexes()) {
    if (existing.has(name)) continue;
    progress(`index ${name}`);
    await sql.raw(definition).execute(database.db);
  }
}

/** Of a new, empty database. */
async function standardIndexes(): Promise<Index[]> {
  const path = join(temporaryDirectory("schema"), "control.db");
  const empty = await openControlDatabase({ kind: "sqlite", path });
  const indexes = await factIndexes(empty);
  await empty.close();
  return indexes;
}

async function factIndexes({ db }: ControlDatabase): Promise<Index[]> {
  const { rows } = await sql<Index>`
    SELECT name, sql AS definition FROM sqlite_master WHERE type = 'index' AND tbl_name = 'facts' AND sql IS NOT NULL`.execute(
    db,
  );
  return rows;
}
