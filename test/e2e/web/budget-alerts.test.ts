import { afterAll, beforeAll, beforeEach, describe, expect, it } from "bun:test";
import { microcents } from "@tollgate/core/money/money";
import { type ControlLab, NOON, startControlLab } from "../../support/labs/control-lab.ts";
import { eventually } from "../../support/waiting/eventually.ts";

let lab: ControlLab;
beforeAll(async () => {
  lab = await startControlLab();
});
beforeEach(() => lab.clock.set(NOON));
afterAll(() => lab.stop());

const daily = { period: "daily", limit_microcents: 1000, enforcement_mode: "hard_block" } as const;
const costing = (amount: number) => ({ cost_microcents: microcents(amount) });

describe("alerts of budgets", () => {
  it("ALERT-012 raises one alert at the warning threshold and one at the limit, once per period", async () => {
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
        message: expect.stringContaining("80%"),
        metadata: expect.objectContaining({ budget_id: budget.id, percentage_used: 80, kind: "warning" }),
        agent_id: null,
        is_read: false,
        resolved_at: null,
        notifications: [],
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
    // Budgets are evaluated in ledger order: when this alert is raised, the first budget was evaluated again.
    await eventually(
      "another organization's jump over both thresholds is one alert",
      async () => (await other.client.call("alerts.list")).alerts.length === 1,
    );
    expect(await alerts()).toHaveLength(2);
    expect((await client.call("budgets.status")).alerts_triggered).toBe(2);
  });

  /** Evaluation is in order: when this organization's alert is raised, everything before it was evaluated. */
  async function everythingWasLookedAt(): Promise<void> {
    const { client, addEvents } = await lab.organization();
    await client.call("budgets.create", { ...daily });
    lab.clock.advance(1);
    await addEvents(costing(1000));
    await eventually(
      "a later alert was raised",
      async () => (await client.call("alerts.list")).alerts.length > 0,
    );
  }

  it("ALERT-014 raises nothing while the type is disabled, and soon after a limit is lowered below the spend", async () => {
    const { client, addEvents } = await lab.organization();
    const { id } = await client.call("budgets.create", { ...daily });
    await client.call("alerts.preferences.update", { budget_warning_enabled: false });
    lab.clock.advance(1);
    await addEvents(costing(700));
    const kinds = async () => (await client.call("alerts.list")).alerts.map(alert => alert.metadata.kind);
    const told = (what: string[]) =>
      eventually(`${what} told`, async () => JSON.stringify(await kinds()) === JSON.stringify(what));
    await client.call("budgets.update", { id, limit_microcents: 100 });
    await everythingWasLookedAt();
    expect(await kinds()).toEqual([]);
    await client.call("budgets.update", { id, limit_microcents: 900 });
    await client.call("alerts.preferences.update", { budget_warning_enabled: true });
    await client.call("budgets.update", { id, limit_microcents: 800 });
    await told(["warning"]);
    lab.clock.advance(1);
    await client.call("budgets.update", { id, limit_microcents: 700 });
    await told(["limit", "warning"]);
    await client.call("budgets.update", { id, limit_microcents: 600 });
    await everythingWasLookedAt();
    expect(await kinds()).toEqual(["limit", "warning"]);
  });

  it("BUD-024 ALERT-012 raises the alerts of a key's and a customer's budget, for their calls alone", async () => {
    const { client, addEvents } = await lab.organization();
    const key = await client.call("keys.create", {});
    await client.call("budgets.create", { ...daily, key_id: key.id });
    await client.call("budgets.create", { ...daily, customer_id: "jane" });
    lab.clock.advance(1);
    const messages = async () =>
      (await client.call("alerts.list")).alerts.map(({ message, metadata }) => [
        message.slice(0, message.indexOf(" has ")),
        metadata.key_id ?? metadata.customer_id,
      ]);
    await addEvents(costing(5000), { ...costing(999), customer_id: "jane" });
    await eventually("the warning was raised", async () => (await messages()).length === 1);
    expect(await messages()).toEqual([["The daily budget of the customer jane", "jane"]]);
    lab.clock.advance(1);
    await addEvents({ ...costing(1000), key_id: key.id, customer_id: "joe" });
    await eventually("the limit was reported", async () => (await messages()).length === 2);
    expect((await messages())[0]).toEqual([`The daily budget of the API key ${key.id}`, key.id]);
  });

  it("ALERT-013 records when it was resolved: the limit was raised, the budget reset, the day ended", async () => {
    const { client, addEvents } = await lab.organization();
    const { id } = await client.call("budgets.create", { ...daily });
    lab.clock.advance(1);
    await addEvents(costing(1000));
    const open = async () =>
      (await client.call("alerts.list")).alerts.filter(alert => alert.resolved_at === null).length;
    const isOpen = (count: number) =>
      eventually(`${count} alerts are open`, async () => (await open()) === count);
    await isOpen(1);
    await client.call("budgets.update", { id, limit_microcents: 5000 });
    await isOpen(0);
    await addEvents(costing(3100));
    await isOpen(1);
    await client.call("budgets.update", { id, paused: true });
    lab.clock.advance(1);
    await client.call("budgets.resume", { id, reset_spending: true });
    await isOpen(0);
    lab.clock.advance(1);
    await addEvents(costing(5000));
    await isOpen(1);
    lab.clock.set("2026-11-16T00:00:00.000Z");
    await isOpen(0);
    const { alerts } = await client.call("alerts.list");
    expect(alerts.map(alert => alert.metadata.kind)).toEqual(["limit", "warning", "limit"]);
    expect(alerts[0]?.resolved_at).toBe("2026-11-16T00:00:00.000Z");
  });

  it("ALERT-012 budgets without their own threshold follow the preferences, the others keep theirs", async () => {
    const { client, addEvents } = await lab.organization();
    const follows = await client.call("budgets.create", { ...daily });
    const own = await client.call("budgets.create", { ...daily, warning_pct: 90 });
    expect(follows.warning_pct).toBe(80);
    lab.clock.advance(1);
    await addEvents(costing(500));
    await client.call("alerts.preferences.update", { budget_warning_threshold_pct: 50 });
    const line = async (id: string) => (await client.call("budgets.get", { id })).warning_pct;
    expect([await line(follows.id), await line(own.id)]).toEqual([50, 90]);
    await eventually(
      "the changed threshold was reported without a call",
      async () => (await client.call("alerts.list")).alerts.length === 1,
    );
    expect((await client.call("alerts.list")).alerts[0]?.metadata.budget_id).toBe(follows.id);
    await client.call("budgets.update", { id: follows.id, warning_pct: 60 });
    await client.call("alerts.preferences.update", { budget_warning_threshold_pct: 70 });
    expect(await line(follows.id)).toBe(60);
    expect((await client.call("budgets.create", { ...daily })).warning_pct).toBe(70);
  });

  it("ALERT-012 raises a threshold crossed just before midnight, even if nothing was evaluated until after it", async () => {
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
