import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { type BudgetLab, costOf, startBudgetLab } from "../../support/labs/budget-lab.ts";

let lab: BudgetLab;
beforeAll(async () => {
  lab = await startBudgetLab();
});
afterAll(() => lab.stop());

let made = 0;

/** A key or a customer of its own, and the calls that count toward its budget. */
async function newSubject(kind: "key" | "customer") {
  const name = `${kind} ${made++} of Zoë`;
  if (kind === "customer") return { budget: { customer: name }, call: { customer: name } };
  const { id, key } = await lab.gateway.store.createKey(lab.orgId, "live", "write", Date.now());
  return { budget: { key: id }, call: { headers: { authorization: `Bearer ${key}` } } };
}

describe.each(["key", "customer"] as const)("the budget of a %s", kind => {
  it("BUD-024 BUD-009 blocks its calls once it is spent, and no others", async () => {
    const own = await newSubject(kind);
    const other = await newSubject(kind);
    const id = await lab.addBudget({ ...own.budget, limit: costOf(10) });
    lab.learn();
    expect((await lab.call({ tokens: 10 }, own.call)).status).toBe(200);
    expect(lab.spent(id)).toBe(costOf(10));
    const refused = await lab.call({ tokens: 10 }, own.call);
    expect([refused.status, JSON.parse(refused.text)]).toEqual([
      429,
      {
        error: expect.any(String),
        limit: costOf(10),
        current_spending: costOf(10),
        retry_at: "2026-11-16T00:00:00.000Z",
      },
    ]);
    expect((await lab.call({ tokens: 10 }, other.call)).status).toBe(200);
    expect((await lab.call({ tokens: 10 })).status).toBe(200);
    expect(lab.spent(id)).toBe(costOf(10));
  });

  it("BUD-024 REL-001 a herd on the last cent overshoots it by less than one call", async () => {
    const { budget, call } = await newSubject(kind);
    const limit = 5 * costOf(100);
    const id = await lab.addBudget({ ...budget, limit });
    lab.learn();
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        lab.call(
          { tokens: 100, waitMs: 5 },
          { ...call, body: { max_tokens: 100, stream: index % 2 === 0 }, agent: `agent ${index % 7}` },
        ),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(95);
    expect(lab.spent(id)).toBe(limit);
  });

  it("BUD-024 BUD-017 holds exactly if it is strict, whatever is called at once", async () => {
    const { budget, call } = await newSubject(kind);
    const limit = 7 * costOf(100) + 50;
    const id = await lab.addBudget({ ...budget, limit, strict: true });
    lab.learn();
    await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        lab.call(
          { tokens: 20 + 5 * index, obeys: true },
          { ...call, body: { max_tokens: 20 + 5 * index, stream: index % 2 === 0 } },
        ),
      ),
    );
    expect(lab.spent(id)).toBeWithin(1, limit + 1);
  });

  it("BUD-024 BUD-010 BUD-012 warns with soft_block, and only counts while it is paused", async () => {
    const { budget, call } = await newSubject(kind);
    const id = await lab.addBudget({ ...budget, limit: 1, enforcement: "soft_block" });
    lab.learn();
    await lab.call({ tokens: 1 }, call);
    const warned = await lab.call({ tokens: 1 }, call);
    expect([warned.status, warned.headers.get("x-gateway-budget-warning")]).toEqual([
      200,
      `budget ${id} has reached its limit`,
    ]);
    expect(lab.gateway.events().at(-1)?.budget_flags).toEqual([`soft_block:${id}`]);
    await lab.changeBudget(id, { enforcement_mode: "hard_block", status: "paused" });
    lab.learn();
    expect((await lab.call({ tokens: 1 }, call)).status).toBe(200);
    expect(lab.spent(id)).toBe(3 * costOf(1));
  });

  it("BUD-024 BUD-018 counts what was spent between its creation and the gateway's first look, once", async () => {
    const { budget, call } = await newSubject(kind);
    const since = lab.later();
    await lab.call({ tokens: 4 }, call);
    await lab.call({ tokens: 4 });
    const id = await lab.addBudget({ ...budget, limit: 1_000_000, since });
    lab.learn();
    await lab.call({ tokens: 6 }, call);
    expect(lab.spent(id)).toBe(costOf(4) + costOf(6));
  });
});

it("BUD-024 BUD-015 all budgets of a call are checked together: organization, agent, key and customer", async () => {
  const key = await newSubject("key");
  const customer = await newSubject("customer");
  const call = { ...key.call, ...customer.call, agent: "together" };
  const roomy = { limit: 1_000_000 };
  const ids = [
    await lab.addBudget({ ...roomy, enforcement: "alert_only" }),
    await lab.addBudget({ ...roomy, agent: "together" }),
    await lab.addBudget({ ...roomy, ...key.budget }),
    await lab.addBudget({ ...roomy, ...customer.budget }),
  ];
  lab.learn();
  expect((await lab.call({ tokens: 3 }, call)).status).toBe(200);
  expect(ids.map(lab.spent)).toEqual([costOf(3), costOf(3), costOf(3), costOf(3)]);
  for (const id of ids.slice(1)) {
    await lab.changeBudget(id, { limit_microcents: 1 });
    lab.learn();
    expect((await lab.call({ tokens: 3 }, call)).status).toBe(429);
    await lab.changeBudget(id, { limit_microcents: 1_000_000 });
    lab.learn();
  }
  expect((await lab.call({ tokens: 3 }, call)).status).toBe(200);
  for (const id of ids) await lab.removeBudget(id);
});

it("BUD-024 reported calls count toward the budgets of their customer and of the key that reported them", async () => {
  const key = await newSubject("key");
  const ids = [
    await lab.addBudget({ limit: 1, ...key.budget }),
    await lab.addBudget({ limit: 1, customer: "reported" }),
  ];
  lab.learn();
  const event = { model: "flat", provider: "openai", input_tokens: 10, output_tokens: 2 };
  const send = (id: string) =>
    lab.gateway.post("/v1/events", { events: [{ ...event, id, customer_id: "reported" }] }, key.call.headers);
  // Never refused: the money is spent already.
  for (const id of ["one", "two"]) expect(await (await send(id)).json()).toMatchObject({ accepted: 1 });
  expect(ids.map(lab.spent)).toEqual([2 * costOf(2), 2 * costOf(2)]);
  expect((await lab.call({ tokens: 1 }, key.call)).status).toBe(429);
  expect((await lab.call({ tokens: 1 }, { customer: "reported" })).status).toBe(429);
});
