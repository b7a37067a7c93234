import { existsSync } from "node:fs";
import { openControlReader } from "@tollgate/storage/database/open-control-reader";
import { checkedVersion, openForReading, versionOf } from "@tollgate/storage/engine/sqlite";
import { ledgerMigrations } from "@tollgate/storage/ledger/migrations";
import { controlDatabaseOf } from "../data-directory/control-database.ts";
import { refuseLostData } from "../data-directory/refuse-lost-data.ts";
import { refuseUnfinishedMigration } from "../migrate/unfinished-directory.ts";
import type { Check, Patient, Say } from "./finding.ts";
import { purposeOf } from "./with-control-of.ts";

/** Checks what a start checks before it uses the data. Unlike a start, it migrates and creates nothing. */
export const checkStart: Check = {
  name: "start",
  async run(patient, say) {
    const { config, files } = patient;
    const isNew = ![files.ledger, files.control, files.postgresMark].some(path => existsSync(path));
    if (isNew && config.databaseUrl === null) return;
    const attempts: [string, () => Promise<void> | void][] = [
      ["", () => refuseUnfinishedMigration(config.dataDir)],
      ["ledger.db: ", () => refuseNewerLedger(files.ledger)],
      ["", () => refuseUnusableControl(patient, say)],
    ];
    let isUsable = true;
    for (const [subject, attempt] of attempts) {
      try {
        await attempt();
      } catch (fault) {
        isUsable = false;
        say("error", subject + (fault instanceof Error ? fault.message : String(fault)));
      }
    }
    if (isUsable) say("ok", "this version can use the data");
  },
};

function refuseNewerLedger(path: string): void {
  if (!existsSync(path)) return;
  const database = openForReading(path);
  try {
    checkedVersion(versionOf(database), ledgerMigrations.length);
  } finally {
    database.close();
  }
}

async function refuseUnusableControl({ config }: Patient, say: Say): Promise<void> {
  // Throws if the data is in PostgreSQL and the settings are not, or the other way round.
  const place = controlDatabaseOf(config, { marks: false });
  // Nothing is opened, so nothing is created.
  if (place.kind === "sqlite" && !existsSync(place.path)) return await refuseLostData(config);
  const reader = await openControlReader(place, purposeOf({ config }));
  await reader.close();
  if (reader.isNewer) {
    return say(
      "warning",
      "a newer version of Tollgate has migrated PostgreSQL, and lets gateways of this version go on: upgrade this one, too",
    );
  }
  await refuseLostData(config);
}
