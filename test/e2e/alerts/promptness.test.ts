import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { ALERTS_POLL_MS } from "@tollgate/control/features/alerts/watch-alerts";
import { microcents } from "@tollgate/core/money/money";
import { systemEngines } from "../../support/full-size.ts";
import { controlDatabases } from "../../support/labs/control-databases.ts";
import { type ControlLab, startControlLab } from "../../support/labs/control-lab.ts";
import { sampleSettlement } from "../../support/rows/sample-event.ts";
import { eventually } from "../../support/waiting/eventually.ts";

const databases = controlDatabases();

describe.each(systemEngines)("the delay of an alert on %s", engine => {
  let lab: ControlLab;
  beforeAll(async () => {
    lab = await startControlLab(await databases.place(engine));
  });
  afterAll(() => lab.stop());

  it("ALERT-013 within a second of the event that crosses the threshold, even as the last of thousands, with no viewer connected", async () => {
    expect(ALERTS_POLL_MS).toBeLessThan(500);
    for (const count of [1, 100, 5000]) {
      const { id, client } = await lab.organization();
      await client.call("budgets.create", {
        period: "daily",
        limit_microcents: 1_000_000,
        enforcement_mode: "alert_only",
      });
      await lab.gatewayKnowsBudgets();
      lab.clock.advance(1);
      const event = { org_id: id, created_at: lab.clock.now(), cost_microcents: microcents(0) };
      const settlements = Array.from({ length: count }, (_, index) =>
        sampleSettlement(crypto.randomUUID(), {
          ...event,
          ...(index === count - 1 ? { cost_microcents: microcents(1_000_000) } : {}),
        }),
      );
      await lab.ledger.append(settlements);
      await eventually("the alert was raised", async () => {
        const found = await lab.db
          .selectFrom("alerts")
          .select("id")
          .where("org_id", "=", id)
          .where("type", "=", "budget_warning")
          .executeTakeFirst();
        return found !== undefined;
      });
    }
  });
});
