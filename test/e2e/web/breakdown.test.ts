import { afterAll, beforeAll, beforeEach, describe, expect, it } from "bun:test";
import { refusal } from "../../support/clients/refusal.ts";
import { type ControlLab, NOON, NOON_MS, startControlLab } from "../../support/labs/control-lab.ts";
import { callAt } from "./call-at.ts";

let lab: ControlLab;
beforeAll(async () => {
  lab = await startControlLab();
});
beforeEach(() => lab.clock.set(NOON));
afterAll(() => lab.stop());

describe("a breakdown", () => {
  it("WEB-022 MON-021 shows the most expensive groups, the rest and the period before; their sums are the total", async () => {
    const { client, addEvents, agentId } = await lab.organization();
    await addEvents(
      callAt("2026-11-14T10:00:00Z", 100, { agent_key: "a", customer_id: "c1" }),
      callAt("2026-11-14T11:30:00Z", 50, { agent_key: "b", customer_id: "c2", config_version: "v1" }),
      callAt("2026-11-14T11:45:00Z", 20, { agent_key: "c", status: "error" }),
      callAt("2026-11-14T11:50:00Z", 0, { agent_key: "c", cost_basis: "unpriced", price_version: null }),
      callAt("2026-11-13T11:00:00Z", 7, { agent_key: "b" }),
    );
    const window = { from: "2026-11-14T00:00:00Z", to: "2026-11-15T00:00:00Z" };
    const asked = { ...window, compare: "previous", interval: "hour" } as const;
    const answer = await client.call("analytics.breakdown", { ...asked, group_by: "agent", limit: 1 });
    expect(answer).toMatchObject({
      period: { from: "2026-11-14T00:00:00.000Z", to: "2026-11-15T00:00:00.000Z" },
      previous_period: { from: "2026-11-13T00:00:00.000Z", to: "2026-11-14T00:00:00.000Z" },
      total: {
        call_count: 4,
        error_count: 1,
        cost_microcents: 170,
        unpriced_calls: 1,
        previous: { cost_microcents: 7 },
      },
      groups: [
        {
          key: agentId("a"),
          name: "a",
          cost_microcents: 100,
          unpriced_calls: 0,
          previous: { call_count: 0 },
        },
      ],
      other: { call_count: 3, cost_microcents: 70, unpriced_calls: 1, previous: { cost_microcents: 7 } },
      group_count: 3,
      next_offset: 1,
    });
    expect(answer.total.series).toHaveLength(24);
    expect(answer.other?.series[11]).toEqual({
      at: "2026-11-14T11:00:00.000Z",
      call_count: 3,
      cost_microcents: 70,
      unpriced_calls: 1,
    });
    expect(answer.total.previous_series?.[11]).toMatchObject({ cost_microcents: 7 });
    const next = await client.call("analytics.breakdown", {
      ...asked,
      group_by: "agent",
      limit: 2,
      offset: 1,
    });
    expect(next.groups.map(({ name }) => name)).toEqual(["b", "c"]);
    expect(next).toMatchObject({ other: { cost_microcents: 100 }, next_offset: null });
    const customers = await client.call("analytics.breakdown", { ...window, group_by: "customer" });
    expect(customers.groups.map(({ key, cost_microcents }) => [key, cost_microcents])).toEqual([
      ["c1", 100],
      ["c2", 50],
      [null, 20],
    ]);
    expect(customers).toMatchObject({ other: null, previous_period: null, total: { previous: null } });
    const failed = await client.call("analytics.breakdown", {
      ...window,
      group_by: "model",
      status: "error",
    });
    expect(failed.groups).toMatchObject([{ key: "gpt-4o-mini", provider: "openai", cost_microcents: 20 }]);
  });

  it("WEB-022 without an interval it has sums without series, of up to 200 groups at once", async () => {
    const { client, addEvents } = await lab.organization();
    const agents = Array.from({ length: 30 }, (_, index) => index);
    await addEvents(
      ...agents.map(index => callAt("2026-11-14T10:00:00Z", 100 + index, { agent_key: `agent-${index}` })),
      callAt("2026-11-13T10:00:00Z", 7, { agent_key: "agent-29" }),
    );
    const asked = {
      from: "2026-11-14T00:00:00Z",
      to: "2026-11-15T00:00:00Z",
      group_by: "agent",
      compare: "previous",
      limit: 1000,
    } as const;
    const answer = await client.call("analytics.breakdown", { ...asked, interval: "none" });
    expect(answer.groups.map(({ name }) => name)).toEqual(agents.map(index => `agent-${29 - index}`));
    expect(answer).toMatchObject({
      interval: "none",
      total: {
        call_count: 30,
        cost_microcents: 3435,
        series: [],
        previous: { cost_microcents: 7 },
        previous_series: [],
      },
      other: null,
      next_offset: null,
    });
    expect(answer.groups[0]).toMatchObject({
      call_count: 1,
      cost_microcents: 129,
      series: [],
      previous: { cost_microcents: 7 },
    });
    const kinds = await client.call("analytics.breakdown", {
      ...asked,
      interval: "none",
      group_by: "cost_kind",
    });
    expect(kinds).toMatchObject({ total: { cost_microcents: 3435 }, groups: [{ key: "other", series: [] }] });
    const withSeries = await client.call("analytics.breakdown", asked);
    expect(withSeries).toMatchObject({ groups: { length: 25 }, group_count: 30, next_offset: 25 });
  });

  it("WEB-022 shows kinds of cost as the receipts do, and what they do not explain as other", async () => {
    const { client, addEvents } = await lab.organization();
    await addEvents(
      { created_at: NOON_MS - 1000, usage: { input: 1000, cache_read: 1000, output: 100 } },
      callAt("2026-11-15T11:00:00Z", 5, { cost_basis: "reported" }),
      callAt("2026-11-15T11:00:00Z", 3),
    );
    const { groups, total } = await client.call("analytics.breakdown", { days: 1, group_by: "cost_kind" });
    expect(groups.map(({ key, cost_microcents }) => [key, cost_microcents])).toEqual([
      ["input", 1500],
      ["cache_read", 750],
      ["output", 600],
      ["reported", 5],
      ["other", 3],
    ]);
    expect(total).toMatchObject({ call_count: 3, cost_microcents: 2858 });
    expect(groups[0]).toMatchObject({ call_count: null, unpriced_calls: null });
    const ofModels = (include?: "cost_kinds") =>
      client.call("analytics.breakdown", { days: 1, group_by: "model", ...(include && { include }) });
    const kinds = { input: 1500, cache_read: 750, cache_write: 0, output: 600, reasoning: 0, tools: 0 };
    expect((await ofModels("cost_kinds")).groups).toMatchObject([
      { cost_microcents: 2858, cost_kinds: { ...kinds, reported: 5, adjustment: 0, other: 3 } },
    ]);
    expect((await ofModels()).groups).toMatchObject([{ cost_kinds: null }]);
  });

  it("WEB-022 refuses more hours or days than an answer can hold, and does not find agents of others", async () => {
    const { client } = await lab.organization();
    const ask = (change: object) => client.call("analytics.breakdown", { group_by: "model", ...change });
    expect(await refusal(ask({ days: 15, interval: "hour" }))).toMatchObject({ status: 400 });
    expect(await refusal(ask({ days: 401 }))).toMatchObject({ status: 400 });
    expect(await refusal(ask({ agent_id: crypto.randomUUID() }))).toMatchObject({ status: 404 });
    expect((await ask({ limit: 1000 })).groups).toEqual([]);
  });
});
