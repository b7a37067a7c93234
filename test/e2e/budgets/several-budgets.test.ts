import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { periodSpan } from "@tollgate/core/budgets/period";
import { type BudgetLab, costOf, startBudgetLab } from "../../support/labs/budget-lab.ts";

let lab: BudgetLab;
beforeAll(async () => {
  lab = await startBudgetLab();
});
afterAll(() => lab.stop());

let agents = 0;
/** Every test has its own agent, and therefore its own budgets. */
const newAgent = () => `agent-${agents++}`;

describe("several budgets", () => {
  it("BUD-005 BUD-015 an agent's budget blocks only that agent, the organization's blocks all", async () => {
    const [poor, rich] = [newAgent(), newAgent()];
    await lab.addBudget({ agent: poor, limit: costOf(1) });
    await lab.addBudget({ agent: rich, limit: costOf(1000) });
    lab.learn();
    await lab.call({ tokens: 1 }, { agent: poor });
    expect((await lab.call({ tokens: 1 }, { agent: poor })).status).toBe(429);
    expect((await lab.call({ tokens: 1 }, { agent: rich })).status).toBe(200);

    const whole = await lab.addBudget({ limit: costOf(1) });
    lab.learn();
    expect((await lab.call({ tokens: 1 }, { agent: rich })).status).toBe(200);
    expect((await lab.call({ tokens: 1 }, { agent: rich })).status).toBe(429);
    expect((await lab.call({ tokens: 1 }, { agent: newAgent() })).status).toBe(429);
    await lab.removeBudget(whole);
    lab.learn();
    expect((await lab.call({ tokens: 1 }, { agent: rich })).status).toBe(200);
  });

  it("BUD-015 names the budget that blocks the longest", async () => {
    const agent = newAgent();
    await lab.addBudget({ agent, limit: 1, period: "daily" });
    await lab.addBudget({ agent, limit: 2, period: "monthly" });
    lab.learn();
    await lab.call({ tokens: 1 }, { agent });
    const refused = JSON.parse((await lab.call({ tokens: 1 }, { agent })).text);
    expect(refused).toMatchObject({
      limit: 2,
      retry_at: new Date(periodSpan("monthly", lab.now()).endsAtMs).toISOString(),
    });
  });

  it("GW-045 test traffic counts toward its own budgets", async () => {
    const live = await lab.addBudget({ agent: "default", limit: 1, mode: "live" });
    const test = await lab.addBudget({ limit: 1, mode: "test" });
    lab.learn();
    const call = () =>
      lab.call(
        { tokens: 1 },
        { headers: { authorization: `Bearer ${lab.gateway.testKey}` }, body: { model: "gpt-4o-mini" } },
      );
    expect([(await call()).status, (await call()).status]).toEqual([200, 429]);
    expect([lab.spent(live), lab.spent(test) > 0]).toEqual([0, true]);
    await lab.removeBudget(live);
  });
});
