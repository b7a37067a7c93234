import { expect, it } from "bun:test";
import { join } from "node:path";
import { microcents } from "@tollgate/core/money/money";
import { openControlDatabase } from "@tollgate/storage/database/open-control-database";
import { Ledger } from "@tollgate/storage/ledger/ledger";
import { simulationRuns, systemEngines } from "../../support/full-size.ts";
import { controlDatabases } from "../../support/labs/control-databases.ts";
import { temporaryFolder } from "../../support/labs/temporary-folder.ts";
import { organizationRow } from "../../support/rows/organization-row.ts";
import { SAMPLE_DAY, sampleSettlement } from "../../support/rows/sample-event.ts";

const script = join(import.meta.dir, "../../support/programs/watch-alerts.ts");
const databases = controlDatabases();
const inFolder = temporaryFolder();
const ORGANIZATIONS = 60;
const KILLS = simulationRuns(8);

it.each(systemEngines)(
  "ALERT-013 REL-007 killed repeatedly on %s, it raises every alert once, with its message and side effects",
  async engine => {
    const place = await databases.place(engine);
    const database = await openControlDatabase(place);
    const { db } = database;
    const ledgerPath = inFolder(`ledger-${engine}.db`);
    const ledger = new Ledger(ledgerPath, "normal");
    const orgs = Array.from({ length: ORGANIZATIONS }, () => crypto.randomUUID());
    const common = { mode: "live", created_at: 1, updated_at: 1 };
    for (const id of orgs) {
      await db
        .insertInto("organizations")
        .values(organizationRow({ id, name: id, tier: "pro" }))
        .execute();
      await db
        .insertInto("alert_thresholds")
        .values({
          ...common,
          id: crypto.randomUUID(),
          org_id: id,
          agent_id: null,
          agent_key: null,
          metric: "daily_cost",
          threshold_value: 1,
          action: "pause_agent",
        })
        .execute();
      await db
        .insertInto("webhooks")
        .values({
          id: crypto.randomUUID(),
          org_id: id,
          mode: "live",
          url: "http://127.0.0.1:9/",
          events: JSON.stringify(["alert.triggered"]),
          secret: "s",
          created_at: 1,
        })
        .execute();
    }
    const run = () =>
      Bun.spawn([process.execPath, script, ledgerPath, JSON.stringify(place), `${SAMPLE_DAY}`], {
        stdout: "pipe",
        stderr: "inherit",
      });
    // The first start fixes its starting position: before the first event.
    expect(await run().exited).toBe(0);
    await ledger.append(
      orgs.flatMap(org_id =>
        Array.from({ length: 25 }, () =>
          sampleSettlement(crypto.randomUUID(), {
            org_id,
            status: "error",
            cost_microcents: microcents(10_000),
          }),
        ),
      ),
    );
    for (let kill = 0; kill < KILLS; kill++) {
      const child = run();
      const reader = child.stdout.getReader();
      await reader.read();
      // In the middle of the work, a little later each time.
      await Bun.sleep(kill * 15);
      child.kill("SIGKILL");
      await child.exited;
    }
    expect(await run().exited).toBe(0);
    expect(await run().exited).toBe(0);
    const alerts = await db.selectFrom("alerts").select(["id", "org_id", "rule_key"]).execute();
    const keys = alerts.map(alert => `${alert.org_id} ${alert.rule_key.split(":")[0]}`).sort();
    expect(keys).toEqual(orgs.flatMap(id => [`${id} error_rate`, `${id} threshold`]).sort());
    const sent = await db.selectFrom("deliveries").select("subject_id").execute();
    expect(sent.map(row => row.subject_id).sort()).toEqual(alerts.map(({ id }) => id).sort());
    const paused = await db.selectFrom("agent_settings").select("org_id").execute();
    expect(paused.map(row => row.org_id).sort()).toEqual([...orgs].sort());
    ledger.close();
    await database.close();
  },
);
