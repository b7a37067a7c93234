import { describe, expect, it } from "bun:test";
import { startControl } from "@tollgate/control/start-control";
import { microcents } from "@tollgate/core/money/money";
import { Directory } from "@tollgate/storage/config/directory";
import { openControlDatabase } from "@tollgate/storage/database/open-control-database";
import { Ledger } from "@tollgate/storage/ledger/ledger";
import { temporaryFolder } from "../../support/labs/temporary-folder.ts";
import { budgetRow } from "../../support/rows/budget-row.ts";
import { organizationRow } from "../../support/rows/organization-row.ts";
import { SAMPLE_DAY, sampleSettlement } from "../../support/rows/sample-event.ts";
import { eventually } from "../../support/waiting/eventually.ts";

const inFolder = temporaryFolder();

describe("starting the control plane", () => {
  it("ALERT-013 waits for the ledger, and raises an alert once, even across a restart", async () => {
    const controlPath = inFolder("control.db");
    const ledgerPath = inFolder("ledger.db");
    const database = await openControlDatabase({ kind: "sqlite", path: controlPath });
    const { db } = database;
    await db
      .insertInto("organizations")
      .values(organizationRow({ tier: "pro", created_at: SAMPLE_DAY }))
      .execute();
    const budget = budgetRow("org", { id: "budget", limit: 100, enforcement: "alert_only" }, SAMPLE_DAY);
    await db.insertInto("budgets").values(budget).execute();
    let isLedgerSought = false;
    const start = () =>
      startControl({
        host: "127.0.0.1",
        port: 0,
        database,
        controlPath,
        // It is opened in the same turn.
        get ledgerPath() {
          isLedgerSought = true;
          return ledgerPath;
        },
        publicUrl: "http://tollgate.test",
        secret: "a secret that is long enough for every test",
        oidc: null,
        log: () => {},
        now: () => SAMPLE_DAY + 1000,
      });
    const starting = start();
    await eventually("it has looked for the ledger", () => isLedgerSought);

    const directory = new Directory(controlPath);
    const ledger = new Ledger(ledgerPath, "normal", undefined, { budgets: directory });
    const first = await starting;
    await ledger.append([sampleSettlement("a", { cost_microcents: microcents(150) })]);
    const alerts = () => db.selectFrom("alerts").selectAll().execute();
    await eventually("the alert was raised", async () => (await alerts()).length === 1);
    await first.stop();
    // While it was down, another budget was used up: the next start detects it.
    await db
      .insertInto("budgets")
      .values({ ...budget, id: "second" })
      .execute();
    await ledger.append([sampleSettlement("b", { cost_microcents: microcents(150) })]);
    const again = await start();
    await eventually("the second budget's alert was raised", async () => (await alerts()).length >= 2);
    expect((await alerts()).map(alert => alert.alert_key.split(":")[1]).toSorted()).toEqual([
      "budget",
      "second",
    ]);
    expect((await fetch(`${again.url}/api/health`)).status).toBe(200);
    await again.stop();
    await expect(fetch(`${again.url}/api/health`)).rejects.toThrow();
    ledger.close();
    directory.close();
    await database.close();
  });
});
