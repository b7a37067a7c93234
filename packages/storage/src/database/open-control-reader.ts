import { SQL } from "bun";
import { Kysely } from "kysely";
import { BunPostgresDialect } from "../engine/bun-postgres-dialect.ts";
import { BunSqliteDialect } from "../engine/bun-sqlite-dialect.ts";
import { nameOfDatabase } from "../engine/name-of-database.ts";
import { withName } from "../engine/naming-file.ts";
import { checkedVersion, openForReading } from "../engine/sqlite.ts";
import { CONTROL_VERSION, isNewerForGateways } from "./migrate-control.ts";
import type { ControlDatabaseOptions } from "./open-control-database.ts";
import type { ControlSchema } from "./schema.ts";
import { readVersion } from "./schema-version.ts";

export interface ControlReader {
  readonly db: Kysely<ControlSchema>;
  /** How many migrations it has had. */
  readonly version: number;
  /** False: written by an older version, so its tables may differ from `ControlSchema`. */
  readonly isCurrent: boolean;
  /** Written by a newer version, which lets gateways of this one go on. */
  readonly isNewer: boolean;
  close(): Promise<void>;
}

/**
 * The control plane's database, read only and unmigrated, for inspecting an installation. `gateway`: also one that a newer
 * version has migrated, if that version allows it.
 */
export async function openControlReader(
  options: ControlDatabaseOptions,
  purpose: "use" | "gateway" = "use",
): Promise<ControlReader> {
  const db = new Kysely<ControlSchema>({
    dialect:
      options.kind === "sqlite"
        ? new BunSqliteDialect(openForReading(options.path))
        : new BunPostgresDialect(new SQL(options.url, { bigint: true, max: 1 })),
  });
  try {
    const version = await readVersion(db, options.kind);
    const isNewer = purpose === "gateway" && options.kind === "postgres" && (await isNewerForGateways(db));
    if (!isNewer) checkedVersion(version, CONTROL_VERSION);
    return { db, version, isCurrent: version >= CONTROL_VERSION, isNewer, close: () => db.destroy() };
  } catch (fault) {
    await db.destroy();
    throw withName(options.kind === "sqlite" ? options.path : nameOfDatabase(options.url), fault);
  }
}
