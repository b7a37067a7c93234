import { existsSync } from "node:fs";
import type { ControlDatabaseOptions } from "@tollgate/storage/database/open-control-database";
import { type ControlReader, openControlReader } from "@tollgate/storage/database/open-control-reader";
import { DatabaseUnavailable } from "@tollgate/storage/engine/database-unavailable";
import { readSeq } from "@tollgate/storage/following/stored-position";
import { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { EVENTS_CURSOR } from "@tollgate/storage/read-model/deriving/read-model-repair";
import { sql } from "kysely";
import type { Config } from "../config/config.ts";
import { controlDatabaseOf } from "./control-database.ts";
import { dataFiles } from "./data-files.ts";

/** One database without the other is not a new installation: starting would hide the loss. */
class LostData extends Error {}

/**
 * Throws if one of the two databases is missing. An organization or ledger created by hand is taken as consent; a file
 * that is not a ledger, such as an empty one, is not. If PostgreSQL cannot be reached, a start with a ledger goes on, and
 * `announce` checks again. Without one it throws `DatabaseUnavailable`: the planes would create an empty ledger, and
 * rebuild all statistics from it.
 */
export async function refuseLostData(config: Config): Promise<void> {
  refuseLostControl(config);
  // On several machines each has a copy of one of them; PostgreSQL has both.
  if (config.role !== "all") return;
  const { ledger, control } = dataFiles(config.dataDir);
  if (config.databaseUrl === null && !existsSync(control)) return;
  const state = stateOf(ledger);
  if (state === "empty") return;
  try {
    // A refused start must leave nothing: no mark here, and no new or migrated tables there.
    const { isEmpty, hasReadEvents } = await inspect(controlDatabaseOf(config, { marks: false }));
    if (state === "has events" && isEmpty) throw lostControl(config);
    if (state === "none" && hasReadEvents) throw lostLedger(config);
  } catch (fault) {
    if (state === "none" || !(fault instanceof DatabaseUnavailable)) throw fault;
  }
}

/** Checked again by each control plane that starts: opening a missing `control.db` would create an empty one. */
export function refuseLostControl(config: Config): void {
  if (config.role !== "all" || config.databaseUrl !== null) return;
  const { ledger } = dataFiles(config.dataDir);
  const place = controlDatabaseOf(config);
  if (place.kind === "sqlite" && !existsSync(place.path) && hasEvents(ledger)) throw lostControl(config);
}

/** Checked again by each gateway that starts: opening a missing `ledger.db` would create an empty one. */
export async function refuseLostLedger(config: Config): Promise<void> {
  if (config.role !== "all") return;
  const { ledger, control } = dataFiles(config.dataDir);
  if (stateOf(ledger) !== "none" || (config.databaseUrl === null && !existsSync(control))) return;
  const { hasReadEvents } = await inspect(controlDatabaseOf(config, { marks: false }));
  if (hasReadEvents) throw lostLedger(config);
}

export function hasEvents(path: string): boolean {
  return stateOf(path) === "has events";
}

/** `none`: there is no file, or none with a ledger's table: a ledger still being created, an empty file, another database. */
function stateOf(path: string): "none" | "empty" | "has events" {
  if (!existsSync(path)) return "none";
  const reader = new LedgerReader(path);
  try {
    return reader.newestSeq() > 0 ? "has events" : "empty";
  } catch (fault) {
    // A damaged ledger does not count as empty.
    return fault instanceof Error && fault.message.includes("no such table") ? "none" : "has events";
  } finally {
    reader.close();
  }
}

/** Of a database of any version, which stays as it is. */
async function inspect(
  place: ControlDatabaseOptions,
): Promise<{ readonly isEmpty: boolean; readonly hasReadEvents: boolean }> {
  const reader = await openControlReader(place);
  try {
    if (reader.version === 0) return { isEmpty: true, hasReadEvents: false };
    const organizations = reader.db.selectFrom("organizations").select("id").limit(1);
    return {
      isEmpty: (await organizations.executeTakeFirst()) === undefined,
      hasReadEvents: (await readUpTo(reader)) > 0,
    };
  } finally {
    await reader.close();
  }
}

/** Migration 2 created the cursors, and 16 renamed their key. */
async function readUpTo({ db, version }: ControlReader): Promise<number> {
  if (version < 2) return 0;
  if (version >= 16) return await readSeq(db, EVENTS_CURSOR);
  const { rows } = await sql<{
    position: number | bigint;
  }>`SELECT position FROM cursors WHERE name = ${EVENTS_CURSOR}`.execute(db);
  return Number(rows[0]?.position ?? 0);
}

export function lostControl({ dataDir, databaseUrl }: Config): LostData {
  const what = databaseUrl === null ? "control.db is missing or empty" : "the database is empty";
  return new LostData(
    `${what}, but the ledger in ${dataDir} has events: this is not a first run.
  - Restore a backup of ${databaseUrl === null ? "control.db" : "the database"}: it holds organizations, keys, budgets and settings.
  - Without a backup, create an organization and start again: svc org create --name N
    The calls of the lost organizations stay in the ledger, but nobody can see them.
  - To start from scratch, move ledger.db and its accompanying files elsewhere.`,
  );
}

function lostLedger({ dataDir }: Config): LostData {
  const { ledger } = dataFiles(dataDir);
  const what = existsSync(ledger) ? `${ledger} is not a ledger` : `there is no ledger.db in ${dataDir}`;
  const first = existsSync(ledger) ? "move that file elsewhere, create" : "create";
  return new LostData(
    `${what}, but events were read from it: the ledger was lost or moved.
  - Restore it, with ledger.db-wal and ledger.db-intents if they exist; or correct SVC_DATA_DIR.
  - Without a backup, ${first} an empty ledger and start again: svc ledger create
    All statistics are then rebuilt from the empty ledger, and budgets start at zero spending.`,
  );
}
