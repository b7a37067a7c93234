import { afterAll, beforeAll, beforeEach, describe, expect, it } from "bun:test";
import { type Tier, tiers } from "@tollgate/core/limits/tiers";
import { microcents } from "@tollgate/core/money/money";
import { refusal } from "../../support/clients/refusal.ts";
import { type ControlLab, NOON, startControlLab } from "../../support/labs/control-lab.ts";

let lab: ControlLab;
beforeAll(async () => {
  lab = await startControlLab();
});
beforeEach(() => lab.clock.set(NOON));
afterAll(() => lab.stop());

const daily = { period: "daily", limit_microcents: 1000, enforcement_mode: "hard_block" } as const;
const costing = (amount: number) => ({ cost_microcents: microcents(amount) });

describe("budgets over the web API", () => {
  it("BUD-001 BUD-002 creates a budget at 0 and lists it, with the specified fields and no agent_id", async () => {
    const { id: orgId, client } = await lab.organization();
    const made = await client.call("budgets.create", { ...daily });
    expect(made).toEqual({
      id: expect.stringMatching(/^[\w-]{36}$/),
      period: "daily",
      limit_microcents: 1000,
      warning_pct: 80,
      enforcement_mode: "hard_block",
      strict: false,
      allow_unpriced: false,
      organization_id: orgId,
      current_spending_microcents: 0,
      withheld_microcents: 0,
      unpriced_calls: 0,
      counted_from: NOON,
      resets_at: "2026-11-16T00:00:00.000Z",
      created_at: NOON,
      status: "active",
    });
    expect("agent_id" in made).toBe(false);
    const monthly = await client.call("budgets.create", { ...daily, period: "monthly" });
    expect(monthly.resets_at).toBe("2026-12-01T00:00:00.000Z");
    expect(await client.call("budgets.list")).toEqual({ budgets: [made, monthly] });
    expect(await client.call("budgets.get", { id: made.id })).toEqual(made);
  });

  it.each([
    ["period", { limit_microcents: 1, enforcement_mode: "hard_block" }],
    ["limit_microcents", { period: "daily", enforcement_mode: "hard_block" }],
    ["enforcement_mode", { period: "daily", limit_microcents: 1 }],
    ["period", { ...daily, period: "weekly" }],
    ["enforcement_mode", { ...daily, enforcement_mode: "block" }],
    ["limit_microcents", { ...daily, limit_microcents: 0 }],
    ["limit_microcents", { ...daily, limit_microcents: -1 }],
    ["limit_microcents", { ...daily, limit_microcents: 1.5 }],
    ["limit_microcents", { ...daily, limit_microcents: "1" }],
    ["limit_microcents", { ...daily, limit_microcents: 9_007_199_254_740_992 }],
    ["warning_pct", { ...daily, warning_pct: -1 }],
    ["warning_pct", { ...daily, warning_pct: 101 }],
    ["warning_pct", { ...daily, warning_pct: 50.5 }],
    ["warning_pct", { ...daily, warning_pct: null }],
    ["agent_id", { ...daily, agent_id: "5f0f3d5e-0000-4000-8000-000000000000" }],
    ["organization_id", { ...daily, organization_id: "other" }],
    ["status", { ...daily, status: "paused" }],
  ])("BUD-003 BUD-004 BUD-020 answers 400 naming %s for %j", async (field, body) => {
    const { liveKey, client } = await lab.organization();
    const answer = await lab.send("/api/budgets", {
      key: liveKey,
      method: "POST",
      body: JSON.stringify(body),
    });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toEqual({ error: expect.stringContaining(field) });
    expect((await client.call("budgets.list")).budgets).toEqual([]);
  });

  it("BUD-020 warns at 80 % by default, identifies an agent only by its UUID, and allows any number for one scope and period", async () => {
    const { client, addEvents, agentId } = await lab.organization();
    await addEvents({ agent_key: "writer" });
    const ofAgent = { ...daily, agent_id: agentId("writer") };
    const [first, second] = [
      await client.call("budgets.create", ofAgent),
      await client.call("budgets.create", ofAgent),
    ];
    expect(first.id).not.toBe(second.id);
    expect(first).toMatchObject({ warning_pct: 80, agent_id: agentId("writer"), status: "active" });
    for (const agent_id of ["writer", crypto.randomUUID()]) {
      expect(await refusal(client.call("budgets.create", { ...daily, agent_id }))).toMatchObject({
        status: 400,
        body: { error: expect.stringContaining("agent_id") },
      });
    }
    // Paused and resumed by PATCH; a paused one stays in every list.
    expect(await client.call("budgets.update", { id: first.id, paused: true })).toMatchObject({
      status: "paused",
    });
    expect((await client.call("budgets.list")).budgets.map(({ status }) => status)).toEqual([
      "paused",
      "active",
    ]);
    expect(await client.call("budgets.update", { id: first.id, paused: false })).toMatchObject({
      status: "active",
    });
  });

  it("BUD-004 BUD-020 accepts a warning_pct of 0 and 100, and the largest possible limit", async () => {
    const { client } = await lab.organization();
    for (const change of [
      { warning_pct: 0 },
      { warning_pct: 100 },
      { limit_microcents: Number.MAX_SAFE_INTEGER },
    ]) {
      expect(await client.call("budgets.create", { ...daily, ...change })).toMatchObject(change);
    }
  });

  it("BUD-005 BUD-014 counts all agents or one, since its creation, and shows the gateway's own number", async () => {
    const { client, addEvents, agentId } = await lab.organization();
    await addEvents({ agent_key: "a", ...costing(7) }, { agent_key: "b", ...costing(9) });
    lab.clock.advance(1);
    const all = await client.call("budgets.create", { ...daily });
    const ofA = await client.call("budgets.create", { ...daily, agent_id: agentId("a") });
    expect(ofA.agent_id).toBe(agentId("a"));
    const spent = async () =>
      (await client.call("budgets.list")).budgets.map(budget => budget.current_spending_microcents);
    expect(await spent()).toEqual([0, 0]);
    lab.clock.advance(1);
    await addEvents({ agent_key: "a", ...costing(100) }, { agent_key: "b", ...costing(20) });
    expect(await spent()).toEqual([120, 100]);
    expect((await client.call("budgets.get", { id: all.id })).current_spending_microcents).toBe(120);
  });

  it("BUD-006 deletes with 204 and no content; DELETE, resume and PATCH of an unknown id are 404", async () => {
    const { liveKey, client } = await lab.organization();
    const { id } = await client.call("budgets.create", { ...daily });
    const deleted = await lab.send(`/api/budgets/${id}`, { key: liveKey, method: "DELETE" });
    expect([deleted.status, await deleted.text()]).toEqual([204, ""]);
    expect(await client.call("budgets.list")).toEqual({ budgets: [] });
    const refusals = await Promise.all([
      refusal(client.call("budgets.delete", { id })),
      refusal(client.call("budgets.resume", { id })),
      refusal(client.call("budgets.update", { id, warning_pct: 1 })),
      refusal(client.call("budgets.get", { id })),
    ]);
    for (const refused of refusals) {
      expect(refused).toMatchObject({ status: 404, body: { error: expect.any(String) } });
    }
  });

  it("BUD-007 resumes a paused budget, resets spending only on request, and is 400 if not paused", async () => {
    const { client, addEvents } = await lab.organization();
    const { id } = await client.call("budgets.create", { ...daily });
    expect((await refusal(client.call("budgets.resume", { id }))).status).toBe(400);
    lab.clock.advance(1);
    await addEvents(costing(300));
    expect(await client.call("budgets.update", { id, paused: true })).toMatchObject({ status: "paused" });
    const resumed = { id, status: "active", resets_at: "2026-11-16T00:00:00.000Z" };
    expect(await client.call("budgets.resume", { id })).toEqual({
      ...resumed,
      status: "active",
      current_spending_microcents: 300,
      unpriced_calls: 0,
    });
    expect((await refusal(client.call("budgets.resume", { id, reset_spending: true }))).status).toBe(400);
    await client.call("budgets.update", { id, paused: true });
    lab.clock.advance(1);
    expect(await client.call("budgets.resume", { id, reset_spending: true })).toMatchObject({
      current_spending_microcents: 0,
      unpriced_calls: 0,
    });
    lab.clock.advance(1);
    await addEvents(costing(5));
    expect((await client.call("budgets.get", { id })).current_spending_microcents).toBe(5);
  });

  it("BUD-008 BUD-021 shows the status: two decimals, days rounded up, totals of this UTC month", async () => {
    const { id: organization_id, client, addEvents } = await lab.organization();
    // Its previous call was two weeks ago, so the agent could be reported idle in between.
    await client.call("alerts.preferences.update", { idle_agent_enabled: false });
    await addEvents({ ...costing(1000), created_at: Date.parse("2026-10-31T23:59:59.999Z") });
    await addEvents({ ...costing(50), created_at: Date.parse("2026-11-01T00:00:00.000Z") });
    lab.clock.advance(1);
    const first = await client.call("budgets.create", { ...daily, limit_microcents: 3000 });
    const second = await client.call("budgets.create", {
      ...daily,
      period: "monthly",
      enforcement_mode: "alert_only",
    });
    await client.call("budgets.update", { id: second.id, paused: true });
    lab.clock.advance(1);
    await addEvents(costing(1000));
    expect(await client.call("budgets.status")).toEqual({
      organization_id,
      total_spending_microcents: 1050,
      unpriced_calls: 0,
      budgets: [
        {
          id: first.id,
          limit_microcents: 3000,
          current_spending_microcents: 1000,
          unpriced_calls: 0,
          percentage_used: 33.33,
          enforcement_mode: "hard_block",
          status: "active",
          days_remaining: 1,
          resets_at: "2026-11-16T00:00:00.000Z",
          period: "daily",
          agent_id: null,
          key_id: null,
          customer_id: null,
        },
        {
          id: second.id,
          limit_microcents: 1000,
          current_spending_microcents: 1000,
          unpriced_calls: 0,
          percentage_used: 100,
          enforcement_mode: "alert_only",
          status: "paused",
          days_remaining: 16,
          resets_at: "2026-12-01T00:00:00.000Z",
          period: "monthly",
          agent_id: null,
          key_id: null,
          customer_id: null,
        },
      ],
      alerts_triggered: 0,
    });
  });

  it("BUD-019 PATCH changes limit, warning_pct, mode, strict and paused; omitted fields stay unchanged", async () => {
    const { client } = await lab.organization();
    const made = await client.call("budgets.create", { ...daily });
    const changes = [
      { limit_microcents: 5 },
      { warning_pct: 3 },
      { enforcement_mode: "soft_block" },
      { strict: true },
    ] as const;
    let expected: Record<string, unknown> = { ...made };
    for (const change of changes) {
      expected = { ...expected, ...change };
      expect(await client.call("budgets.update", { id: made.id, ...change })).toEqual(
        expected as typeof made,
      );
    }
    expect((await refusal(client.call("budgets.update", { id: made.id, limit_microcents: 0 }))).status).toBe(
      400,
    );
  });

  it.each([
    ["starter", "lite"],
    ["lite", "pro"],
    ["pro", "enterprise"],
  ] as const)(
    "LIM-010 LIM-014 LIM-017 one budget more than %s includes is 402 with required_tier %s, in lower case, and where to upgrade",
    async (tier, next) => {
      const { client, testClient } = await lab.organization(tier);
      await fill(tier, client);
      expect(await refusal(client.call("budgets.create", { ...daily }))).toMatchObject({
        status: 402,
        body: {
          error: expect.any(String),
          required_tier: next,
          current_tier: tier,
          upgrade_url: "http://tollgate.test/settings/plan",
        },
      });
      const set = client.call("budgets.set", { period: "monthly", limit_microcents: 1000 });
      expect((await refusal(set)).status).toBe(402);
      // Test traffic has its own limit.
      expect(await testClient.call("budgets.create", { ...daily })).toMatchObject({ status: "active" });
    },
  );

  it("LIM-014 the 101st budget on enterprise is 400", async () => {
    const { client } = await lab.organization("enterprise");
    await fill("enterprise", client);
    expect((await refusal(client.call("budgets.create", { ...daily }))).status).toBe(400);
  });

  it("LIM-017 after a downgrade existing budgets keep working, and none is added", async () => {
    const { id, client } = await lab.organization("pro");
    const [first] = await fill("pro", client);
    await lab.db.updateTable("organizations").set({ tier: "starter" }).where("id", "=", id).execute();
    expect((await client.call("budgets.list")).budgets).toHaveLength(10);
    expect(await client.call("budgets.update", { id: first ?? "", warning_pct: 5 })).toMatchObject({
      warning_pct: 5,
    });
    expect((await refusal(client.call("budgets.create", { ...daily }))).body.required_tier).toBe(
      "enterprise",
    );
  });

  async function fill(tier: Tier, client: Awaited<ReturnType<ControlLab["organization"]>>["client"]) {
    const ids: string[] = [];
    for (let count = 0; count < tiers[tier].budgets; count++) {
      ids.push((await client.call("budgets.create", { ...daily })).id);
    }
    return ids;
  }
});

describe("budgets of keys and customers", () => {
  it("BUD-024 are created, listed and shown with their spend, and absent fields are absent", async () => {
    const { client, addEvents } = await lab.organization();
    const key = await client.call("keys.create", {});
    const ofKey = await client.call("budgets.create", { ...daily, key_id: key.id });
    const ofCustomer = await client.call("budgets.create", { ...daily, customer_id: "Zoë | 7" });
    expect([ofKey.key_id, "customer_id" in ofKey, "agent_id" in ofKey]).toEqual([key.id, false, false]);
    expect([ofCustomer.customer_id, "key_id" in ofCustomer]).toEqual(["Zoë | 7", false]);
    lab.clock.advance(1);
    await addEvents(
      { ...costing(10), key_id: key.id },
      { ...costing(5), key_id: key.id, customer_id: "Zoë | 7" },
      { ...costing(3), customer_id: "Zoë | 7" },
      { ...costing(0), cost_basis: "unpriced", customer_id: "Zoë | 7" },
      costing(100),
    );
    const { budgets } = await client.call("budgets.list");
    expect(
      budgets.map(({ current_spending_microcents, unpriced_calls }) => [
        current_spending_microcents,
        unpriced_calls,
      ]),
    ).toEqual([
      [15, 0],
      [8, 1],
    ]);
    const status = await client.call("budgets.status");
    expect(
      status.budgets.map(({ agent_id, key_id, customer_id, percentage_used }) => [
        agent_id,
        key_id,
        customer_id,
        percentage_used,
      ]),
    ).toEqual([
      [null, key.id, null, 1.5],
      [null, null, "Zoë | 7", 0.8],
    ]);
  });

  it("BUD-024 are set apart from those of the organization and of others", async () => {
    const { client } = await lab.organization();
    const key = await client.call("keys.create", {});
    const set = async (subject: { key_id?: string; customer_id?: string }, limit_microcents: number) => {
      const { created, budget } = await client.call("budgets.set", {
        period: "daily",
        limit_microcents,
        ...subject,
      });
      return [created, budget.id, budget.limit_microcents] as const;
    };
    const made = [
      await set({ key_id: key.id }, 1),
      await set({ customer_id: "a" }, 2),
      await set({ customer_id: "b" }, 3),
      await set({}, 4),
    ];
    expect(made.map(([created]) => created)).toEqual([true, true, true, true]);
    expect(await set({}, 40)).toEqual([false, made[3]?.[1] ?? "", 40]);
    expect(await set({ customer_id: "b" }, 30)).toEqual([false, made[2]?.[1] ?? "", 30]);
    expect(await set({ key_id: key.id }, 10)).toEqual([false, made[0]?.[1] ?? "", 10]);
  });

  it("BUD-024 SEC-004 need a key of this organization and mode that is not revoked, and a valid customer", async () => {
    const { client, addEvents, agentId } = await lab.organization();
    await addEvents({});
    const other = await (await lab.organization()).client.call("keys.create", {});
    const tested = await client.call("keys.create", { mode: "test" });
    const revoked = await client.call("keys.create", {});
    await client.call("keys.revoke", { id: revoked.id });
    for (const [subject, word] of [
      [{ key_id: "unknown" }, "key_id"],
      [{ key_id: other.id }, "key_id"],
      [{ key_id: tested.id }, "key_id"],
      [{ key_id: revoked.id }, "revoked"],
      [{ customer_id: "a\u0007b" }, "customer_id"],
      [{ customer_id: " " }, "customer_id"],
      [{ customer_id: "x".repeat(257) }, "customer_id"],
      [{ customer_id: "a", key_id: other.id }, "one of"],
      [{ customer_id: "a", agent_id: agentId("default") }, "one of"],
    ] as const) {
      for (const operation of ["budgets.create", "budgets.set"] as const) {
        const refused = await refusal(client.call(operation, { ...daily, ...subject }));
        expect([refused.status, JSON.stringify(refused)]).toEqual([400, expect.stringContaining(word)]);
      }
    }
    expect((await client.call("budgets.list")).budgets).toEqual([]);
  });
});
