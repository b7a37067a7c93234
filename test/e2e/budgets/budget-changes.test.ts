import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { type BudgetLab, costOf, startBudgetLab } from "../../support/labs/budget-lab.ts";
import { eventually } from "../../support/waiting/eventually.ts";

let lab: BudgetLab;
beforeAll(async () => {
  lab = await startBudgetLab();
});
afterAll(() => lab.stop());

let agents = 0;
/** Every test has its own agent, and therefore its own budgets. */
const newAgent = () => `agent-${agents++}`;

describe("changes of a budget", () => {
  it("BUD-006 BUD-019 changes of limit, mode or status, and a deletion, take effect in under a second", async () => {
    const agent = newAgent();
    const id = await lab.addBudget({ agent, limit: costOf(1) });
    // The gateway's own clock moves by 60 ms, and the next call sees the change.
    const nextStatus = async () => {
      lab.learn();
      return (await lab.call({ tokens: 1 }, { agent })).status;
    };
    expect([await nextStatus(), await nextStatus()]).toEqual([200, 429]);
    await lab.changeBudget(id, { limit_microcents: costOf(100_000) });
    expect(await nextStatus()).toBe(200);
    await lab.changeBudget(id, { limit_microcents: 1 });
    expect(await nextStatus()).toBe(429);
    await lab.changeBudget(id, { enforcement_mode: "soft_block" });
    expect(await nextStatus()).toBe(200);
    await lab.changeBudget(id, { enforcement_mode: "hard_block" });
    expect(await nextStatus()).toBe(429);
    await lab.removeBudget(id);
    expect(await nextStatus()).toBe(200);
  });

  it("BUD-014 counting restarts at a reset, and earlier spend is not counted again", async () => {
    const agent = newAgent();
    const id = await lab.addBudget({ agent, limit: costOf(1) });
    lab.learn();
    await lab.call({ tokens: 1 }, { agent });
    expect((await lab.call({ tokens: 1 }, { agent })).status).toBe(429);
    await lab.changeBudget(id, { since: lab.later() });
    lab.learn();
    expect((await lab.call({ tokens: 1 }, { agent })).status).toBe(200);
    expect(lab.spends(id).map(row => row.spent_microcents)).toEqual([costOf(1), costOf(1)]);
  });

  it("BUD-014 counts calls since the budget's start, even if the gateway had not seen it yet", async () => {
    const agent = newAgent();
    const before = lab.now();
    await lab.call({ tokens: 3 }, { agent });
    await lab.call({ tokens: 4 }, { agent });
    const id = await lab.addBudget({ agent, limit: costOf(100), since: before });
    const later = await lab.addBudget({ agent, limit: costOf(100), since: lab.now() + 1 });
    lab.learn();
    await lab.call({ tokens: 5 }, { agent });
    expect(lab.spent(id)).toBe(costOf(3) + costOf(4) + costOf(5));
    expect(lab.spent(later)).toBe(costOf(5));
  });

  it("counts a call toward a budget that was created while the call was in flight", async () => {
    const agent = newAgent();
    const before = lab.now();
    const held = lab.close();
    const call = lab.call({ tokens: 3 }, { agent });
    await eventually("it is in flight", () => lab.sent.length > 0 && lab.gateway.reader.openIntents() > 0);
    const id = await lab.addBudget({ agent, limit: costOf(3), since: before });
    held.open();
    expect((await call).status).toBe(200);
    lab.learn();
    expect((await lab.call({ tokens: 1 }, { agent })).status).toBe(429);
    expect(lab.spent(id)).toBe(costOf(3));
  });

  it("ING-010 counts ingested spend, and refuses no ingested event for it", async () => {
    const agent = newAgent();
    const id = await lab.addBudget({ agent, limit: 500 });
    lab.learn();
    expect((await lab.call({ tokens: 1 }, { agent })).status).toBe(200);
    const ingest = async (cost: number) => {
      const event = { id: crypto.randomUUID(), agent_key: agent, cost_microcents: cost };
      const times = { created_at: new Date(lab.now()).toISOString(), latency_ms: 5 };
      const tokens = { provider: "openai", model: "flat", input_tokens: 1, output_tokens: 1 };
      const answer = await lab.gateway.post("/v1/events", { events: [{ ...event, ...times, ...tokens }] });
      return await answer.json();
    };
    expect(await ingest(400)).toMatchObject({ accepted: 1 });
    expect((await lab.call({ tokens: 1 }, { agent })).status).toBe(429);
    expect(await ingest(400)).toMatchObject({ accepted: 1 });
    expect(lab.spent(id)).toBe(costOf(1) + 800);
  });

  it("answers 403 to a paused agent, and to no other", async () => {
    const agent = newAgent();
    await lab.setPaused(agent, lab.now());
    lab.learn();
    const refused = await lab.call({ tokens: 1 }, { agent });
    expect([refused.status, refused.headers.get("x-should-retry")]).toEqual([403, "false"]);
    expect((await lab.call({ tokens: 1 }, { agent: newAgent() })).status).toBe(200);
    await lab.setPaused(agent, null);
    lab.learn();
    expect((await lab.call({ tokens: 1 }, { agent })).status).toBe(200);
  });
});
