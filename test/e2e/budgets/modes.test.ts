import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "bun:test";
import { AlertWatch } from "@tollgate/control/alerts/watch-alerts";
import { periodSpan } from "@tollgate/core/budgets/period";
import { BUDGET_PATIENCE_MS } from "@tollgate/gateway/budgets/budgets";
import { createReadModel } from "@tollgate/storage/read-model/control-read-model";
import { followReadModel } from "@tollgate/storage/read-model/follow-read-model";
import { openRawCall } from "../../support/clients/raw-call.ts";
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
    expect(metrics).toContain('svc_gateway_rejected_total{status="429",code="budget_exceeded"}');
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

  it("BUD-016 releases the whole reservation when a call ends without cost", async () => {
    const agent = newAgent();
    const id = await lab.addBudget({ agent, limit: costOf(10) });
    lab.learn();
    for (let call = 0; call < 5; call++) {
      expect((await lab.call({ tokens: 0, status: 500 }, { agent })).status).toBe(500);
    }
    expect(lab.spent(id)).toBe(0);
    expect((await lab.call({ tokens: 1 }, { agent })).status).toBe(200);
  });

  it("BUD-016 MON-018 releases what was reserved beyond the prompt when the client disconnects", async () => {
    const agent = newAgent();
    const id = await lab.addBudget({ agent, limit: costOf(100) });
    lab.learn();
    const held = lab.close();
    const leaving = new AbortController();
    const sent = lab.sent.length;
    const call = fetch(`${lab.gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: lab.gateway.headers({ "x-agent-id": agent }),
      body: JSON.stringify({
        model: "flat",
        stream: true,
        max_tokens: 1000,
        messages: [{ role: "user", content: '{"tokens":1}' }],
      }),
      signal: leaving.signal,
    }).catch(() => null);
    await eventually("it is with the provider", () => lab.sent.length > sent);
    leaving.abort();
    await call;
    await eventually("it is settled", () => lab.gateway.events().at(-1)?.status === "cancelled");
    held.open();
    const left = lab.gateway.events().at(-1)?.cost_microcents ?? 0;
    expect(left).toBeGreaterThan(0);
    expect((await lab.call({ tokens: 1 }, { agent })).status).toBe(200);
    expect(lab.spent(id)).toBe(left + costOf(1));
  });

  it("BUD-016 makes a call wait for a settlement instead of refusing it because of a reservation", async () => {
    const agent = newAgent();
    await lab.addBudget({ agent, limit: costOf(100) });
    lab.learn();
    // A call reserves its limit of a thousand tokens, and then costs ten.
    const body = { max_tokens: 1000 };
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => lab.call({ tokens: 10, waitMs: 10 }, { agent, body })),
    );
    expect(answers.map(({ status }) => status)).toEqual(new Array(8).fill(200));
  });

  it("BUD-016 refuses after waiting a quarter of a second for reservations, and admits again once they are released", async () => {
    expect(BUDGET_PATIENCE_MS).toBe(250);
    const impatient = await startBudgetLab({ budgetPatienceMs: 20 });
    await impatient.addBudget({ limit: costOf(100) });
    impatient.learn();
    const body = { max_tokens: 1000 };
    const held = impatient.close();
    const slow = impatient.call({ tokens: 10 }, { body });
    await eventually("the slow call is with the provider", () => impatient.sent.length === 1);
    const refused = await impatient.call({ tokens: 10 }, { body });
    expect([refused.status, JSON.parse(refused.text).current_spending]).toEqual([429, 0]);
    expect(impatient.sent).toHaveLength(1);
    held.open();
    expect((await slow).status).toBe(200);
    expect((await impatient.call({ tokens: 10 }, { body })).status).toBe(200);
    await impatient.stop();
  });

  it("BUD-016 does not send a call whose client disconnected while it waited for headroom", async () => {
    for (const stream of [false, true]) {
      const agent = newAgent();
      const id = await lab.addBudget({ agent, limit: costOf(100) });
      lab.learn();
      const body = { max_tokens: 1000, stream };
      const held = lab.close();
      const sent = lab.sent.length;
      const first = lab.call({ tokens: 10 }, { agent, body });
      await eventually("the first is with the provider", () => lab.sent.length === sent + 1);
      const events = lab.gateway.events().length;
      const request = { model: "flat", ...body, messages: [{ role: "user", content: '{"tokens":1}' }] };
      const second = await openRawCall(
        lab.gateway.url,
        "/v1/chat/completions",
        lab.gateway.headers({ "x-agent-id": agent }),
        JSON.stringify(request),
      );
      await gatewayHasSeenAll();
      second.leave();
      await second.ended();
      await gatewayHasSeenAll();
      held.open();
      expect((await first).status).toBe(200);
      // If the second had been admitted, then before this one.
      expect((await lab.call({ tokens: 10 }, { agent, body })).status).toBe(200);
      expect([lab.sent.length, lab.gateway.events().length]).toEqual([sent + 2, events + 2]);
      expect(lab.spent(id)).toBe(2 * costOf(10));
    }
  });

  /** Sockets are served in the order of their events. */
  async function gatewayHasSeenAll(): Promise<void> {
    for (let turn = 0; turn < 5; turn++) await (await fetch(`${lab.gateway.url}/metrics`)).text();
  }

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

  it("BUD-023 rejects a number of choices that no provider accepts, and reserves nothing for it", async () => {
    const agent = newAgent();
    const id = await lab.addBudget({ agent, limit: costOf(10) });
    lab.learn();
    for (const n of [129, 1_000_000, 1e9]) {
      const refused = await lab.call({ tokens: 1 }, { agent, body: { n, max_tokens: 16_000 } });
      expect([refused.status, JSON.parse(refused.text).error]).toEqual([400, "`n` must be at most 128"]);
    }
    expect((await lab.call({ tokens: 1 }, { agent, body: { n: 128 } })).status).toBe(200);
    expect(lab.spent(id)).toBe(costOf(1));
  });

  it("BUD-023 reserves at most the model's output limit, whatever the caller requests", async () => {
    const [greedy, modest] = [newAgent(), newAgent()];
    // `flat` is an unknown model of openai: at most 128,000 tokens per answer.
    const id = await lab.addBudget({ limit: costOf(200_000) });
    lab.learn();
    const held = lab.close();
    const sent = lab.sent.length;
    const asking = lab.call({ tokens: 1 }, { agent: greedy, body: { max_tokens: 900_000_000 } });
    await eventually("the provider has it", () => lab.sent.length === sent + 1);
    const other = lab.call({ tokens: 1 }, { agent: modest });
    await eventually("the other one is let in beside it", () => lab.sent.length === sent + 2);
    held.open();
    expect([(await asking).status, (await other).status]).toEqual([200, 200]);
    await lab.removeBudget(id);
    lab.learn();
  });

  it("BUD-023 suggests a retry within a minute if only reservations block, without Retry-After", async () => {
    const agent = newAgent();
    const impatient = await startBudgetLab({ budgetPatienceMs: 20 });
    onTestFinished(() => impatient.stop());
    await impatient.addBudget({ agent, limit: costOf(100) });
    impatient.learn();
    const held = impatient.close();
    const sent = impatient.sent.length;
    const first = impatient.call({ tokens: 1 }, { agent, body: { max_tokens: 1000 } });
    await eventually("the provider has it", () => impatient.sent.length === sent + 1);
    const askedAt = impatient.now();
    const refused = await impatient.call({ tokens: 1 }, { agent });
    expect(refused.status).toBe(429);
    const { error, retry_at, current_spending } = JSON.parse(refused.text);
    expect(error).toContain("reserved for calls in flight");
    expect(current_spending).toBe(0);
    expect(Date.parse(retry_at) - impatient.now()).toBeLessThan(60_000);
    expect(Date.parse(retry_at)).toBeGreaterThan(askedAt);
    expect(refused.headers.get("retry-after")).toBeNull();
    held.open();
    expect((await first).status).toBe(200);
    expect((await impatient.call({ tokens: 1 }, { agent })).status).toBe(200);
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

describe("changes of a budget", () => {
  it("BUD-019 changes of limit, mode or status, and a deletion, take effect in under a second", async () => {
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
