import { existsSync } from "node:fs";
import { type ControlReader, openControlReader } from "@tollgate/storage/database/open-control-reader";
import type { Patient, Say } from "./finding.ts";

/** The control plane's database, read-only. Skipped if it does not exist or has another schema version. */
export async function withControlOf(
  { config, files }: Patient,
  say: Say,
  work: (reader: ControlReader) => Promise<void>,
): Promise<void> {
  const isInPostgres = existsSync(files.inPostgres);
  if (!isInPostgres && !existsSync(files.control)) return;
  if (isInPostgres && config.databaseUrl === null) {
    return say("error", "the data of this directory is in PostgreSQL: set SVC_DATABASE_URL");
  }
  const reader = await openControlReader(
    isInPostgres && config.databaseUrl !== null
      ? { kind: "postgres", url: config.databaseUrl }
      : { kind: "sqlite", path: files.control },
  );
  try {
    if (reader.isCurrent) await work(reader);
    else say("warning", "another version of Tollgate wrote the control database: start this one first");
  } finally {
    await reader.close();
  }
}
