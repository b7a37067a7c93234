import { afterAll, beforeAll, beforeEach, describe, expect, it } from "bun:test";
import { microcents } from "@tollgate/core/money";
import { eventually } from "../../support/test-gateway.ts";
import { type ControlLab, NOON, startControlLab } from "./control-lab.ts";

let lab: ControlLab;
beforeAll(async () => {
  lab = await startControlLab();
});
beforeEach(() => lab.clock.set(NOON));
afterAll(() => lab.stop());

const daily = { period: "daily", limit_microcents: 1000, enforcement_mode: "hard_block" } as const;
const costing = (amount: number) => ({ cost_microcents: microcents(amount) });

describe("alerts of budgets", () => {
  it("ALERT-012 raises one alert at the warning line and one at the limit, once in a period", async () => {
    const { client, addEvents } = await lab.organization();
    const budget = await client.call("budgets.create", { ...daily, enforcement_mode: "alert_only" });
    lab.clock.advance(1);
    await addEvents(costing(799));
    await addEvents(costing(1));
    const alerts = async () => (await client.call("alerts.list")).alerts;
    await eventually("the warning was raised", async () => (await alerts()).length === 1);
    expect(await alerts()).toEqual([
      {
        id: expect.any(String),
        type: "budget_warning",
        triggered_at: new Date(lab.clock.now()).toISOString(),
        severity: "warning",
        message: expect.stringContaining("80 %"),
        metadata: expect.objectContaining({ budget_id: budget.id, percentage_used: 80, kind: "warning" }),
        agent_id: null,
        is_read: false,
      },
    ]);
    lab.clock.advance(1);
    await addEvents(costing(200));
    await eventually("the limit was told", async () => (await alerts()).length === 2);
    expect((await alerts())[0]).toMatchObject({
      severity: "critical",
      metadata: { budget_id: budget.id, percentage_used: 100, kind: "limit" },
    });
    await addEvents(costing(500), costing(500));
    const other = await lab.organization();
    await other.client.call("budgets.create", { ...daily, enforcement_mode: "soft_block" });
    lab.clock.advance(1);
    await other.addEvents(costing(5000));
    // Budgets are looked at in the order of the ledger: when this one is told, the first had its turn again.
    await eventually(
      "another organization's jump over both lines is one alert",
      async () => (await other.client.call("alerts.list")).alerts.length === 1,
    );
    expect(await alerts()).toHaveLength(2);
    expect((await client.call("budgets.status")).alerts_triggered).toBe(2);
  });

  it("ALERT-014 raises nothing while the type is off, and at once when a limit is moved below the spend", async () => {
    const { client, addEvents } = await lab.organization();
    const { id } = await client.call("budgets.create", { ...daily });
    await client.call("alerts.preferences.update", { budget_warning_enabled: false });
    lab.clock.advance(1);
    await addEvents(costing(700));
    const kinds = async () => (await client.call("alerts.list")).alerts.map(alert => alert.metadata.kind);
    await client.call("budgets.update", { id, limit_microcents: 100 });
    expect(await kinds()).toEqual([]);
    await client.call("budgets.update", { id, limit_microcents: 900 });
    // On again: from now on somebody looks, and may do so before the next change is made.
    await client.call("alerts.preferences.update", { budget_warning_enabled: true });
    await client.call("budgets.update", { id, limit_microcents: 800 });
    expect(await kinds()).toEqual(["warning"]);
    await client.call("budgets.update", { id, limit_microcents: 700 });
    expect(await kinds()).toEqual(["limit", "warning"]);
    await client.call("budgets.update", { id, limit_microcents: 600 });
    expect(await kinds()).toHaveLength(2);
  });

  it("ALERT-012 tells of a line that was crossed just before midnight, though nobody looked until after", async () => {
    const { client, addEvents } = await lab.organization();
    lab.clock.set("2026-11-15T23:59:59.900Z");
    const { id } = await client.call("budgets.create", { ...daily });
    const late = lab.clock.now() + 50;
    lab.clock.set("2026-11-16T00:00:00.100Z");
    await addEvents({ ...costing(1000), created_at: late });
    await eventually(
      "the alert of the ended day was raised",
      async () => (await client.call("alerts.list")).alerts.length === 1,
    );
    expect((await client.call("alerts.list")).alerts[0]?.metadata).toMatchObject({
      budget_id: id,
      period_id: "2026-11-15",
    });
    expect((await client.call("budgets.get", { id })).current_spending_microcents).toBe(0);
  });
});
