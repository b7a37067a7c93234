import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import type { ControlDatabaseOptions } from "@tollgate/storage/database/open-control-database";
import { openForReading } from "@tollgate/storage/engine/sqlite";
import type { Config } from "../config/config.ts";
import { UsageError } from "../config/usage-error.ts";
import { dataFiles } from "./data-files.ts";

/**
 * Where the control plane's data is: in PostgreSQL if configured, otherwise in a file. A data directory keeps the engine
 * it was created with: with the other one, a command would silently change the gateway's copy, or create a second
 * installation. A new directory is marked, unless the caller only reads.
 */
export function controlDatabaseOf(config: Config, { marks = true } = {}): ControlDatabaseOptions {
  const { control, postgresMark } = dataFiles(config.dataDir);
  if (config.databaseUrl === null) {
    if (existsSync(postgresMark)) {
      throw new UsageError("the data of this directory is in PostgreSQL: set SVC_DATABASE_URL");
    }
    return { kind: "sqlite", path: control };
  }
  if (!existsSync(postgresMark)) {
    if (hasOrganizations(control)) {
      throw new UsageError(
        "this data directory was created without PostgreSQL: unset SVC_DATABASE_URL, move it with `svc migrate --to URL`, or set another SVC_DATA_DIR",
      );
    }
    if (!marks) return { kind: "postgres", url: config.databaseUrl };
    // Other users of a shared machine must not read key digests and salts.
    mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
    writePostgresMark(config);
  }
  return { kind: "postgres", url: config.databaseUrl };
}

/** From now on this directory is used with PostgreSQL only. */
export function writePostgresMark({ dataDir }: Config): void {
  writeFileSync(
    dataFiles(dataDir).postgresMark,
    "The control plane's data is in PostgreSQL; control.db is a copy of the gateway's configuration.\n",
  );
}

function hasOrganizations(path: string): boolean {
  if (!existsSync(path)) return false;
  const database = openForReading(path);
  try {
    return database.query("SELECT 1 FROM organizations LIMIT 1").get() !== null;
  } catch {
    // Before the first migration there is no such table.
    return false;
  } finally {
    database.close();
  }
}
