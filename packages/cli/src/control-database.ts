import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import type { ControlDatabaseOptions } from "@tollgate/storage/database/open-control-database";
import { openForReading } from "@tollgate/storage/engine/sqlite";
import { UsageError } from "./command.ts";
import type { Config } from "./config.ts";
import { dataFiles } from "./data-files.ts";

/**
 * Where the control plane's data is: in PostgreSQL if configured, else in a file. A data directory keeps the engine
 * that it started with: with the other one, a command would silently change a mere copy, or start a second
 * installation.
 */
export function controlDatabaseOf(config: Config): ControlDatabaseOptions {
  const { control, inPostgres } = dataFiles(config.dataDir);
  if (config.databaseUrl === null) {
    if (existsSync(inPostgres)) {
      throw new UsageError("the data of this directory is in PostgreSQL: set SVC_DATABASE_URL to it");
    }
    return { kind: "sqlite", path: control };
  }
  if (!existsSync(inPostgres)) {
    if (hasOrganizations(control)) {
      throw new UsageError(
        "this data directory began without PostgreSQL and cannot be moved there: unset SVC_DATABASE_URL, or begin with another SVC_DATA_DIR",
      );
    }
    // Other users of a shared machine must not read key digests and salts.
    mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
    writeFileSync(
      inPostgres,
      "The control plane's data is in PostgreSQL; control.db is a copy of what the gateway obeys.\n",
    );
  }
  return { kind: "postgres", url: config.databaseUrl };
}

function hasOrganizations(path: string): boolean {
  if (!existsSync(path)) return false;
  const database = openForReading(path);
  try {
    return database.query("SELECT 1 FROM organizations LIMIT 1").get() !== null;
  } catch {
    // A file from before its first migration has none.
    return false;
  } finally {
    database.close();
  }
}
