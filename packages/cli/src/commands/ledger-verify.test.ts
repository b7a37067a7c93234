import { expect, it } from "bun:test";
import { rmSync } from "node:fs";
import { beginPosition, movePosition } from "@tollgate/storage/following/stored-position";
import { Ledger } from "@tollgate/storage/ledger/ledger";
import { LEDGER_START } from "@tollgate/storage/ledger/ledger-position";
import { EVENTS_CURSOR } from "@tollgate/storage/read-model/deriving/read-model-repair";
import { controlDatabases, engines } from "../../../../test/support/labs/control-databases.ts";
import { temporaryFolder } from "../../../../test/support/labs/temporary-folder.ts";
import { writeMigratedFile } from "../../../../test/support/labs/write-migrated-file.ts";
import { readConfig } from "../config/config.ts";
import { dataFiles } from "../data-directory/data-files.ts";
import { prepareControlStore, withControlStore } from "../data-directory/open-store.ts";
import { ledgerVerify } from "./ledger-verify.ts";

const databases = controlDatabases();
const inFolder = temporaryFolder();

it.each(engines)(
  "REL-005 says which sums an upgrade is still filling, and that is no difference, on %s",
  async engine => {
    const dataDir = inFolder(engine);
    const place = await databases.place(engine);
    const config = readConfig({
      SVC_DATA_DIR: dataDir,
      ...(place.kind === "postgres" ? { SVC_DATABASE_URL: place.url } : {}),
    });
    await prepareControlStore(config);
    await new Ledger(dataFiles(dataDir).ledger, "normal").close();
    const verify = async () => await ledgerVerify.run({ config, argument: "", options: {}, note: () => {} });
    expect(await verify()).toMatchObject({ exitCode: 0, value: { ok: true, not_compared: [] } });
    expect((await verify()).text).not.toContain("not compared");

    await withControlStore(config, ({ database }) =>
      beginPosition(database.db, "read-model:refill-0048", LEDGER_START),
    );
    expect(await verify()).toMatchObject({
      exitCode: 0,
      value: { ok: true, not_compared: ["customer_weeks", "agent_version_days"] },
      text: expect.stringContaining("not compared yet: customer_weeks, agent_version_days"),
    });
  },
);

it("REL-005 on a control plane whose copy is behind, asks to verify elsewhere, and reports no difference", async () => {
  const dataDir = inFolder("behind");
  const place = await databases.place("postgres");
  const config = readConfig({
    SVC_DATA_DIR: dataDir,
    SVC_ROLE: "control",
    SVC_SECRET: "a secret that is long enough",
    SVC_DATABASE_URL: place.kind === "postgres" ? place.url : "",
  });
  await prepareControlStore(config);
  await new Ledger(dataFiles(dataDir).ledger, "normal").close();
  const verify = async () => await ledgerVerify.run({ config, argument: "", options: {}, note: () => {} });
  await writeMigratedFile(dataFiles(dataDir).control);
  const moveTo = (seq: number) =>
    withControlStore(config, async ({ database: { db } }) => {
      await beginPosition(db, EVENTS_CURSOR, LEDGER_START);
      await movePosition(db, EVENTS_CURSOR, { seq, eventId: "event" });
    });
  await moveTo(3);
  // PostgreSQL does not have these events, either.
  expect(await verify()).toMatchObject({ exitCode: 1, value: { ok: false } });
  await withControlStore(config, ({ database: { db } }) =>
    db.updateTable("shared_ledger_end").set({ position: 3 }).execute(),
  );
  await expect(verify()).rejects.toThrow(
    "this control plane's copy of the ledger ends at event 0, and event 3 is derived already",
  );
});

it("says what is missing between a migration to PostgreSQL and the first start there", async () => {
  const dataDir = inFolder("migrated");
  const place = await databases.place("postgres");
  const config = readConfig({
    SVC_DATA_DIR: dataDir,
    SVC_DATABASE_URL: place.kind === "postgres" ? place.url : "",
  });
  await prepareControlStore(config);
  await new Ledger(dataFiles(dataDir).ledger, "normal").close();
  rmSync(dataFiles(dataDir).control);
  await expect(ledgerVerify.run({ config, argument: "", options: {}, note: () => {} })).rejects.toThrow(
    "control.db does not exist: start Tollgate once",
  );
});
