import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { AlertWatch } from "@tollgate/control/features/alerts/watch-alerts";
import { periodSpan } from "@tollgate/core/budgets/period";
import { createReadModel } from "@tollgate/storage/read-model/control-read-model";
import { followReadModel } from "@tollgate/storage/read-model/deriving/follow-read-model";
import { type BudgetLab, costOf, startBudgetLab } from "../../support/labs/budget-lab.ts";

let lab: BudgetLab;
beforeAll(async () => {
  lab = await startBudgetLab();
});
afterAll(() => lab.stop());

let agents = 0;
/** Every test has its own agent, and therefore its own budgets. */
const newAgent = () => `agent-${agents++}`;

describe("a hard_block budget", () => {
  it("BUD-009 answers 429 with the spec's body once its limit is reached, calls no provider and makes no event", async () => {
    const agent = newAgent();
    const id = await lab.addBudget({ agent, limit: costOf(10) });
    lab.learn();
    expect((await lab.call({ tokens: 10 }, { agent })).status).toBe(200);
    const [sent, events] = [lab.sent.length, lab.gateway.events().length];
    const refused = await lab.call({ tokens: 10 }, { agent });
    const { endsAtMs } = periodSpan("daily", lab.now());
    expect(refused.status).toBe(429);
    expect(JSON.parse(refused.text)).toEqual({
      error: expect.any(String),
      limit: costOf(10),
      current_spending: costOf(10),
      retry_at: new Date(endsAtMs).toISOString(),
    });
    expect(refused.headers.get("x-should-retry")).toBe("false");
    expect(refused.headers.get("retry-after")).toBeNull();
    expect([lab.sent.length, lab.gateway.events().length]).toEqual([sent, events]);
    const metrics = await (await fetch(`${lab.gateway.url}/metrics`)).text();
    expect(metrics).toContain('svc_gateway_rejected_total{status="429",code="budget_exceeded"} 1\n');
    expect(lab.spent(id)).toBe(costOf(10));
  });

  it("BUD-009 a refusal does not count toward the burst limit", async () => {
    const agent = newAgent();
    await lab.addBudget({ agent, limit: 1 });
    lab.learn();
    await lab.call({ tokens: 1 }, { agent });
    const first = await lab.call({ tokens: 1 }, { agent });
    const second = await lab.call({ tokens: 1 }, { agent });
    expect([first.status, second.status]).toEqual([429, 429]);
    expect(second.headers.get("ratelimit-remaining")).toBe(first.headers.get("ratelimit-remaining"));
  });

  it("BUD-018 counts the exact cost of a call as soon as it ends, streamed or not", async () => {
    for (const stream of [false, true]) {
      const agent = newAgent();
      // Headroom for two calls, to the microcent.
      const id = await lab.addBudget({ agent, limit: costOf(7) + 1 });
      lab.learn();
      const statuses: number[] = [];
      for (let call = 0; call < 3; call++) {
        statuses.push((await lab.call({ tokens: 7 }, { agent, body: { stream } })).status);
      }
      expect(statuses).toEqual([200, 200, 429]);
      expect(lab.spent(id)).toBe(2 * costOf(7));
    }
  });

  it("refuses a model without a price unless the budget allows it", async () => {
    const agent = newAgent();
    const id = await lab.addBudget({ agent, limit: 1 });
    lab.learn();
    const unpriced = { agent, body: { model: "openai/unknown-model" } };
    const sent = lab.sent.length;
    const refused = await lab.call({ tokens: 5 }, unpriced);
    expect(refused.status).toBe(429);
    expect(JSON.parse(refused.text)).toMatchObject({
      error: expect.stringContaining("allow_unpriced"),
      limit: 1,
      current_spending: 0,
    });
    expect(lab.sent.length).toBe(sent);
    await lab.changeBudget(id, { allow_unpriced: 1 });
    lab.learn();
    for (let call = 0; call < 3; call++) {
      expect((await lab.call({ tokens: 5 }, unpriced)).status).toBe(200);
    }
    expect(lab.spent(id)).toBe(0);
  });
});

/** The alerts about a budget, once the control plane's alert watcher has seen every event so far. */
async function alertsAbout(budgetId: string) {
  const { database } = lab.gateway.store;
  const ledger = lab.gateway.reader;
  const follower = followReadModel(database, ledger);
  await follower.catchUp();
  const control = {
    db: database.db,
    engine: database.engine,
    readModel: createReadModel(database, ledger),
    now: lab.now,
    newId: () => Bun.randomUUIDv7(),
    wakeSender: () => {},
  };
  const watch = await AlertWatch.open({ control, database, ledger, readModel: follower, log: () => {} });
  await watch.catchUp();
  await watch.tick();
  const alerts = await database.db.selectFrom("alerts").selectAll().execute();
  return alerts
    .map(({ type, severity, metadata }) => ({ type, severity, ...JSON.parse(metadata) }))
    .filter(({ budget_id }) => budget_id === budgetId);
}

describe("other modes", () => {
  it("BUD-010 soft_block over its limit admits the call with a warning, a flag, a log line and an alert", async () => {
    const agent = newAgent();
    const id = await lab.addBudget({ agent, limit: costOf(1), enforcement: "soft_block" });
    lab.learn();
    const below = await lab.call({ tokens: 1 }, { agent });
    expect(below.headers.has("x-gateway-budget-warning")).toBe(false);
    for (const stream of [false, true]) {
      const over = await lab.call({ tokens: 1 }, { agent, body: { stream } });
      expect(over.status).toBe(200);
      expect(over.headers.get("x-gateway-budget-warning")).toBe(`budget ${id} has reached its limit`);
      expect(lab.gateway.events().at(-1)?.budget_flags).toEqual([`soft_block:${id}`]);
    }
    expect(lab.gateway.logged.filter(line => line.includes(id)).length).toBe(2);
    expect(lab.spent(id)).toBe(3 * costOf(1));
    expect(await alertsAbout(id)).toMatchObject([
      { type: "budget_warning", severity: "critical", kind: "limit", percentage_used: expect.any(Number) },
    ]);
  });

  it("BUD-011 alert_only over its limit admits the call without a warning, flagged on its event, and raises one alert", async () => {
    const agent = newAgent();
    const id = await lab.addBudget({ agent, limit: costOf(1), enforcement: "alert_only" });
    lab.learn();
    await lab.call({ tokens: 1 }, { agent });
    const over = await lab.call({ tokens: 1 }, { agent });
    expect([over.status, over.headers.has("x-gateway-budget-warning")]).toEqual([200, false]);
    expect(lab.gateway.events().at(-1)?.budget_flags).toEqual([`alert_only:${id}`]);
    const raised = await alertsAbout(id);
    expect(raised).toMatchObject([{ type: "budget_warning", severity: "critical", kind: "limit" }]);
    // Further calls over the limit raise no second alert.
    for (const stream of [false, true]) {
      const another = await lab.call({ tokens: 1 }, { agent, body: { stream } });
      expect([another.status, another.headers.has("x-gateway-budget-warning")]).toEqual([200, false]);
    }
    expect(await alertsAbout(id)).toEqual(raised);
  });

  it("BUD-012 a paused budget is tracked but not enforced; resumed, it blocks immediately", async () => {
    const agent = newAgent();
    const id = await lab.addBudget({ agent, limit: costOf(1), paused: true });
    lab.learn();
    for (let call = 0; call < 3; call++) {
      expect((await lab.call({ tokens: 1 }, { agent })).status).toBe(200);
    }
    expect(lab.spent(id)).toBe(3 * costOf(1));
    expect(lab.gateway.events().at(-1)?.budget_flags).toBeNull();
    await lab.changeBudget(id, { status: "active" });
    lab.learn();
    expect((await lab.call({ tokens: 1 }, { agent })).status).toBe(429);
  });
});
