import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { type BudgetBench, costOf, startBudgetBench } from "../../support/labs/budget-lab.ts";

let bench: BudgetBench;
beforeAll(async () => {
  bench = await startBudgetBench({ budgetPatienceMs: 10_000 });
});
afterAll(() => bench.stop());

let made = 0;

/** A key or a customer of its own, and the calls that count toward its budget. */
async function newSubject(kind: "key" | "customer") {
  const name = `${kind} ${made++} of Zoë`;
  if (kind === "customer") return { budget: { customer: name }, call: { customer: name } };
  const { id, key } = await bench.gateway.store.createKey(bench.orgId, "live", "write", Date.now());
  return { budget: { key: id }, call: { headers: { authorization: `Bearer ${key}` } } };
}

describe.each(["key", "customer"] as const)("the budget of a %s", kind => {
  it("BUD-024 BUD-009 blocks its calls once it is spent, and no others", async () => {
    const own = await newSubject(kind);
    const other = await newSubject(kind);
    const id = await bench.addBudget({ ...own.budget, limit: costOf(10) });
    bench.learn();
    expect((await bench.call({ tokens: 10 }, own.call)).status).toBe(200);
    expect(bench.spent(id)).toBe(costOf(10));
    const refused = await bench.call({ tokens: 10 }, own.call);
    expect([refused.status, JSON.parse(refused.text)]).toEqual([
      429,
      {
        error: expect.any(String),
        limit: costOf(10),
        current_spending: costOf(10),
        retry_at: "2026-11-16T00:00:00.000Z",
      },
    ]);
    expect((await bench.call({ tokens: 10 }, other.call)).status).toBe(200);
    expect((await bench.call({ tokens: 10 })).status).toBe(200);
    expect(bench.spent(id)).toBe(costOf(10));
  });

  it("BUD-024 REL-001 a herd on the last cent overshoots it by less than one call", async () => {
    const { budget, call } = await newSubject(kind);
    const limit = 5 * costOf(100);
    const id = await bench.addBudget({ ...budget, limit });
    bench.learn();
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        bench.call(
          { tokens: 100, waitMs: 5 },
          { ...call, body: { max_tokens: 100, stream: index % 2 === 0 }, agent: `agent ${index % 7}` },
        ),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(95);
    expect(bench.spent(id)).toBe(limit);
  });

  it("BUD-024 BUD-017 holds exactly if it is strict, whatever is called at once", async () => {
    const { budget, call } = await newSubject(kind);
    const limit = 7 * costOf(100) + 50;
    const id = await bench.addBudget({ ...budget, limit, strict: true });
    bench.learn();
    await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        bench.call(
          { tokens: 20 + 5 * index, obeys: true },
          { ...call, body: { max_tokens: 20 + 5 * index, stream: index % 2 === 0 } },
        ),
      ),
    );
    expect(bench.spent(id)).toBeWithin(1, limit + 1);
  });

  it("BUD-024 BUD-010 BUD-012 warns with soft_block, and only counts while it is paused", async () => {
    const { budget, call } = await newSubject(kind);
    const id = await bench.addBudget({ ...budget, limit: 1, enforcement: "soft_block" });
    bench.learn();
    await bench.call({ tokens: 1 }, call);
    const warned = await bench.call({ tokens: 1 }, call);
    expect([warned.status, warned.headers.get("x-gateway-budget-warning")]).toEqual([
      200,
      `budget ${id} has reached its limit`,
    ]);
    expect(bench.gateway.events().at(-1)?.budget_flags).toEqual([`soft_block:${id}`]);
    await bench.changeBudget(id, { enforcement_mode: "hard_block", status: "paused" });
    bench.learn();
    expect((await bench.call({ tokens: 1 }, call)).status).toBe(200);
    expect(bench.spent(id)).toBe(3 * costOf(1));
  });

  it("BUD-024 BUD-018 counts what was spent between its creation and the gateway's first look, once", async () => {
    const { budget, call } = await newSubject(kind);
    const since = bench.later();
    await bench.call({ tokens: 4 }, call);
    await bench.call({ tokens: 4 });
    const id = await bench.addBudget({ ...budget, limit: 1_000_000, since });
    bench.learn();
    await bench.call({ tokens: 6 }, call);
    expect(bench.spent(id)).toBe(costOf(4) + costOf(6));
  });
});

it("BUD-024 BUD-015 all budgets of a call are checked together: organization, agent, key and customer", async () => {
  const key = await newSubject("key");
  const customer = await newSubject("customer");
  const call = { ...key.call, ...customer.call, agent: "together" };
  const roomy = { limit: 1_000_000 };
  const ids = [
    await bench.addBudget({ ...roomy, enforcement: "alert_only" }),
    await bench.addBudget({ ...roomy, agent: "together" }),
    await bench.addBudget({ ...roomy, ...key.budget }),
    await bench.addBudget({ ...roomy, ...customer.budget }),
  ];
  bench.learn();
  expect((await bench.call({ tokens: 3 }, call)).status).toBe(200);
  expect(ids.map(bench.spent)).toEqual([costOf(3), costOf(3), costOf(3), costOf(3)]);
  for (const id of ids.slice(1)) {
    await bench.changeBudget(id, { limit_microcents: 1 });
    bench.learn();
    expect((await bench.call({ tokens: 3 }, call)).status).toBe(429);
    await bench.changeBudget(id, { limit_microcents: 1_000_000 });
    bench.learn();
  }
  expect((await bench.call({ tokens: 3 }, call)).status).toBe(200);
  for (const id of ids) await bench.removeBudget(id);
});

it("BUD-024 reported calls count toward the budgets of their customer and of the key that reported them", async () => {
  const key = await newSubject("key");
  const ids = [
    await bench.addBudget({ limit: 1, ...key.budget }),
    await bench.addBudget({ limit: 1, customer: "reported" }),
  ];
  bench.learn();
  const event = { model: "flat", provider: "openai", input_tokens: 10, output_tokens: 2 };
  const send = (id: string) =>
    bench.gateway.post(
      "/v1/events",
      { events: [{ ...event, id, customer_id: "reported" }] },
      key.call.headers,
    );
  // Never refused: the money is spent already.
  for (const id of ["one", "two"]) expect(await (await send(id)).json()).toMatchObject({ accepted: 1 });
  expect(ids.map(bench.spent)).toEqual([2 * costOf(2), 2 * costOf(2)]);
  expect((await bench.call({ tokens: 1 }, key.call)).status).toBe(429);
  expect((await bench.call({ tokens: 1 }, { customer: "reported" })).status).toBe(429);
});
