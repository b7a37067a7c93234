import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "bun:test";
import { BUDGET_PATIENCE_MS } from "@tollgate/gateway/budgets/budgets";
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
