import { existsSync } from "node:fs";
import type { ControlDatabaseOptions } from "@tollgate/storage/database/open-control-database";
import { type ControlReader, openControlReader } from "@tollgate/storage/database/open-control-reader";
import type { Patient, Say } from "./finding.ts";

/** The control plane's database, read-only. Skipped if it does not exist or an older version wrote it. */
export async function withControlOf(
  patient: Patient,
  say: Say,
  work: (reader: ControlReader) => Promise<void>,
): Promise<void> {
  const place = controlPlaceOf(patient);
  if (place === null) return;
  if (place === "unknown") {
    return say("error", "the data of this directory is in PostgreSQL: set SVC_DATABASE_URL");
  }
  const reader = await openControlReader(place, purposeOf(patient));
  try {
    if (reader.isCurrent) await work(reader);
    else say("warning", "an older version of Tollgate wrote the control database: start this one first");
  } finally {
    await reader.close();
  }
}

/** The sidecar of a gateway may use a database that a newer version has migrated. */
export function purposeOf({ config }: Pick<Patient, "config">): "use" | "gateway" {
  return config.role === "gateway" ? "gateway" : "use";
}

/** null: it does not exist. `unknown`: it is in PostgreSQL, but the settings do not say where. */
function controlPlaceOf({
  config,
  files,
}: Pick<Patient, "config" | "files">): ControlDatabaseOptions | "unknown" | null {
  if (existsSync(files.postgresMark)) {
    return config.databaseUrl === null ? "unknown" : { kind: "postgres", url: config.databaseUrl };
  }
  return existsSync(files.control) ? { kind: "sqlite", path: files.control } : null;
}
