import { afterAll, beforeAll, beforeEach, describe, expect, it } from "bun:test";
import { DAY_MS } from "@tollgate/core/time/durations";
import { refusal } from "../../support/clients/refusal.ts";
import { type ControlLab, NOON, NOON_MS, startControlLab } from "../../support/labs/control-lab.ts";
import { eventually } from "../../support/waiting/eventually.ts";
import { callAt } from "./call-at.ts";
import { sumLines } from "./sum-lines.ts";

let lab: ControlLab;
beforeAll(async () => {
  lab = await startControlLab();
});
beforeEach(() => lab.clock.set(NOON));
afterAll(() => lab.stop());

describe("a history", () => {
  it("WEB-022 has parts at round UTC times, each as the analysis of its period", async () => {
    const { client, addEvents, agentId } = await lab.organization();
    await addEvents(
      callAt("2026-11-14T10:00:00Z", 100, { agent_key: "a", latency_ms: 10 }),
      callAt("2026-11-14T11:30:00Z", 50, { agent_key: "a", model: "gpt-4o", status: "error" }),
      callAt("2026-11-14T12:30:00Z", 20, { agent_key: "a" }),
      callAt("2026-11-14T12:40:00Z", 999, { agent_key: "b" }),
    );
    const asked = { agent_id: agentId("a"), from: "2026-11-14T09:15:00Z", to: "2026-11-14T13:00:00Z" };
    const { parts } = await client.call("analytics.history", { ...asked, step_minutes: 120 });
    expect(parts.map(({ period }) => period.from.slice(11, 16))).toEqual(["09:15", "10:00", "12:00"]);
    for (const { period, ...part } of parts) {
      const { summary, percentiles, by_model } = await client.call("analytics.get", { ...asked, ...period });
      expect(part).toMatchObject({
        call_count: summary.total_calls,
        cost_microcents: summary.total_cost_microcents,
        percentiles,
      });
      expect(part.by_model.map(({ model }) => model)).toEqual(by_model.map(({ model }) => model));
      expect(part.error_count).toBe(Math.round(summary.total_calls * summary.error_rate));
    }
    expect(parts.map(({ cost_microcents }) => cost_microcents)).toEqual([0, 150, 20]);
    const ofAll = await client.call("analytics.history", { days: 1, step_minutes: 24 * 60 });
    expect(ofAll.parts.reduce((sum, { cost_microcents }) => sum + cost_microcents, 0)).toBe(1019);
    const tooMany = client.call("analytics.history", { days: 2, step_minutes: 1 });
    expect(await refusal(tooMany)).toMatchObject({ status: 400 });
  });
});

describe("an agent's metrics", () => {
  it("WEB-004 WEB-005 returns the specified shape over 30 days, empty days with zeros", async () => {
    const { client, addEvents, agentId } = await lab.organization();
    await addEvents(
      callAt("2026-11-14T10:00:00Z", 100, { agent_key: "a" }),
      callAt("2026-11-14T11:00:00Z", 50, { agent_key: "a", model: "gpt-4o", provider: "openai" }),
      callAt("2026-11-12T10:00:00Z", 7, { agent_key: "a" }),
      callAt("2026-11-14T10:00:00Z", 999, { agent_key: "other" }),
      callAt("2026-10-01T10:00:00Z", 999, { agent_key: "a" }),
    );
    const metrics = await client.call("agents.metrics", { id: agentId("a") });
    expect(metrics).toMatchObject({
      agent_id: agentId("a"),
      period: { from: new Date(NOON_MS - 30 * DAY_MS).toISOString(), to: NOON },
      totals: { call_count: 3, input_tokens: 3000, output_tokens: 300, cost_microcents: 157 },
      by_model: [
        { model: "gpt-4o-mini", call_count: 2, cost_microcents: 107 },
        { model: "gpt-4o", call_count: 1, cost_microcents: 50 },
      ],
    });
    expect(Object.keys(metrics)).toEqual(["agent_id", "period", "totals", "by_model", "by_day"]);
    expect(metrics.by_day).toHaveLength(31);
    expect(metrics.by_day.slice(-4)).toEqual([
      { date: "2026-11-12", call_count: 1, cost_microcents: 7, unpriced_calls: 0 },
      { date: "2026-11-13", call_count: 0, cost_microcents: 0, unpriced_calls: 0 },
      { date: "2026-11-14", call_count: 2, cost_microcents: 150, unpriced_calls: 0 },
      { date: "2026-11-15", call_count: 0, cost_microcents: 0, unpriced_calls: 0 },
    ]);
  });

  it("WEB-005 WEB-017 groups by week and month, labelled by the group's first day", async () => {
    const { client, addEvents, agentId } = await lab.organization();
    await addEvents(
      callAt("2026-11-08T23:00:00Z", 1), // a Sunday: the week of Monday the 2nd
      callAt("2026-11-09T00:00:00Z", 2), // a Monday
      callAt("2026-11-15T01:00:00Z", 4),
      callAt("2026-10-31T01:00:00Z", 8),
    );
    const by = async (group_by: "week" | "month") =>
      (
        await client.call("agents.metrics", { id: agentId("default"), from: "2026-10-28", group_by })
      ).by_day.map(({ date, cost_microcents }) => [date, cost_microcents]);
    expect(await by("week")).toEqual([
      ["2026-10-26", 8],
      ["2026-11-02", 1],
      ["2026-11-09", 6],
    ]);
    expect(await by("month")).toEqual([
      ["2026-10-01", 8],
      ["2026-11-01", 7],
    ]);
    const window = { from: "2026-11-08T00:00:00Z", to: "2026-11-09T00:00:00Z" };
    const ofWindow = await client.call("agents.metrics", { id: agentId("default"), ...window });
    expect([ofWindow.totals.cost_microcents, sumLines(ofWindow.by_day).cost]).toEqual([1, 1]);
  });
});

describe("analytics", () => {
  it("WEB-006 WEB-007 WEB-008 returns the specified shape; parts add up to the total; 1 of 4 failed is 0.25", async () => {
    const { client, addEvents } = await lab.organization();
    await addEvents(
      callAt("2026-11-14T10:00:00Z", 100, { latency_ms: 100 }),
      callAt("2026-11-14T11:00:00Z", 30, { latency_ms: 300, status: "timeout" }),
      callAt("2026-11-13T11:00:00Z", 20, { latency_ms: 200, status: "cancelled" }),
      callAt("2026-11-13T11:00:00Z", 50, { latency_ms: 400, model: "gpt-4o" }),
    );
    const analytics = await client.call("analytics.get");
    expect(analytics.summary).toEqual({
      total_calls: 4,
      total_cost_microcents: 200,
      unpriced_calls: 0,
      avg_latency_ms: 250,
      error_rate: 0.25,
      period: { from: new Date(NOON_MS - 30 * DAY_MS).toISOString(), to: NOON },
    });
    expect(analytics.by_model).toEqual([
      { model: "gpt-4o-mini", call_count: 3, cost_microcents: 150, unpriced_calls: 0, avg_latency_ms: 200 },
      { model: "gpt-4o", call_count: 1, cost_microcents: 50, unpriced_calls: 0, avg_latency_ms: 400 },
    ]);
    expect(analytics.trend).toHaveLength(31);
    expect(analytics.trend.slice(-3)).toEqual([
      { date: "2026-11-13", call_count: 2, cost_microcents: 70, unpriced_calls: 0, avg_latency_ms: 300 },
      { date: "2026-11-14", call_count: 2, cost_microcents: 130, unpriced_calls: 0, avg_latency_ms: 200 },
      { date: "2026-11-15", call_count: 0, cost_microcents: 0, unpriced_calls: 0, avg_latency_ms: 0 },
    ]);
    for (const lines of [analytics.by_model, analytics.trend]) {
      expect(sumLines(lines)).toEqual({ calls: 4, cost: 200 });
    }
    // Nearest rank of 100, 200, 300 and 400 ms: calls, not bucket bounds.
    expect(analytics.percentiles).toEqual({ p50_ms: 200, p95_ms: 400, p99_ms: 400 });
  });

  it("WEB-008 the percentiles of few calls are latencies of actual calls: for one call of 31 ms all are 31 ms", async () => {
    const { client, addEvents, agentId } = await lab.organization();
    await addEvents({ agent_key: "a", latency_ms: 31, created_at: NOON_MS - 1000 });
    const single = { p50_ms: 31, p95_ms: 31, p99_ms: 31 };
    expect((await client.call("analytics.get")).percentiles).toEqual(single);
    await addEvents(
      ...Array.from({ length: 200 }, (_, index) => ({
        latency_ms: 1000 + index,
        created_at: NOON_MS - 90 * 60_000,
      })),
    );
    const { percentiles } = await client.call("analytics.get");
    expect(percentiles).toEqual({ p50_ms: 1099, p95_ms: 1189, p99_ms: 1197 });
    const ofAgent = await client.call("analytics.get", { agent_id: agentId("a") });
    expect(ofAgent.percentiles).toEqual(single);
  });

  it("WEB-017 counts error, timeout and interrupted as errors, but not cancelled; no calls mean no errors", async () => {
    const { client, addEvents } = await lab.organization();
    expect((await client.call("analytics.get")).summary).toMatchObject({ total_calls: 0, error_rate: 0 });
    const at = { created_at: NOON_MS - 1000 };
    for (const status of ["success", "error", "timeout", "cancelled", "interrupted"] as const) {
      await addEvents({ ...at, status });
    }
    expect((await client.call("analytics.get")).summary.error_rate).toBe(0.6);
  });

  it("WEB-007 restricts every number to the window, and to the agent; an unknown agent is 404", async () => {
    const { client, addEvents, agentId } = await lab.organization();
    await addEvents(
      callAt("2026-11-10T10:00:00Z", 1, { agent_key: "a" }),
      callAt("2026-11-11T10:00:00Z", 2, { agent_key: "a", latency_ms: 100 }),
      callAt("2026-11-11T10:00:00Z", 4, { agent_key: "b", latency_ms: 900, status: "error" }),
      callAt("2026-11-12T00:00:00Z", 8, { agent_key: "a" }),
    );
    const window = { from: "2026-11-11T00:00:00Z", to: "2026-11-12T00:00:00Z" };
    const cost = async (query: { agent_id?: string }) =>
      (await client.call("analytics.get", { ...window, ...query })).summary.total_cost_microcents;
    expect([
      await cost({}),
      await cost({ agent_id: agentId("a") }),
      await cost({ agent_id: agentId("b") }),
    ]).toEqual([6, 2, 4]);
    const ofA = await client.call("analytics.get", { ...window, agent_id: agentId("a") });
    expect(ofA.summary).toMatchObject({ total_calls: 1, avg_latency_ms: 100, error_rate: 0 });
    expect(ofA.percentiles).toEqual({ p50_ms: 100, p95_ms: 100, p99_ms: 100 });
    expect([sumLines(ofA.by_model), sumLines(ofA.trend)]).toEqual([
      { calls: 1, cost: 2 },
      { calls: 1, cost: 2 },
    ]);
    expect((await refusal(client.call("analytics.get", { agent_id: crypto.randomUUID() }))).status).toBe(404);
  });

  it.each([
    ["from", "from=yesterday"],
    ["from", "from=2026-02-31"],
    ["to", "to=1700000000"],
    ["from", "from=2026-11-14&to=2026-11-13"],
    ["days", "days=0"],
    ["days", "days=1.5"],
    ["days", "days=abc"],
    ["days", "days="],
    ["days", "days=7&days=8"],
    ["days", "days=7&period_days=8"],
    ["mode", "mode=other"],
    ["mode", "mode=test"],
    ["window", "window=7"],
  ])("WEB-017 answers 400 naming %s for ?%s", async (field, query) => {
    const { liveKey } = await lab.organization();
    const answer = await lab.send(`/api/analytics?${query}`, { key: liveKey });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toEqual({ error: expect.stringContaining(field) });
  });
});

describe("the dashboard", () => {
  it("WEB-009 returns agents, cost, models, budgets, alerts and trend consistent with the other answers", async () => {
    const { id, client, addEvents, agentId } = await lab.organization();
    await addEvents(
      callAt("2026-11-14T10:00:00Z", 150_000, { agent_key: "a" }),
      callAt("2026-11-15T10:00:00Z", 50_000, { agent_key: "b", model: "gpt-4o", status: "error" }),
    );
    const outcomes = [
      { outcome_type: "revenue", value_cents: 9 },
      { outcome_type: "revenue", value_cents: -5 },
      { outcome_type: "revenue", value_cents: 5000, success: false },
      { outcome_type: "cost_saving", value_cents: 7000 },
      { value_cents: 20 },
    ];
    for (const outcome of outcomes) await client.call("outcomes.create", { name: "sale", ...outcome });
    lab.clock.advance(1);
    const dashboard = await client.call("dashboard.get");
    const analytics = await client.call("analytics.get");
    expect(dashboard).toMatchObject({
      organization_id: id,
      period_days: 30,
      agents: { total: 2, active: 1, idle: 1, error: 0, archived: 0 },
      cost: {
        total_calls: 2,
        total_cost_microcents: 200_000,
        total_cost_cents: 2,
        error_calls: 1,
        error_rate: 0.5,
      },
      top_models: [
        { provider: "openai", model: "gpt-4o-mini", call_count: 1, cost_microcents: 150_000 },
        { provider: "openai", model: "gpt-4o", call_count: 1, cost_microcents: 50_000 },
      ],
      budgets: { total: 0, paused: 0, warning: 0, exceeded: 0 },
      attribution: {
        total_outcomes: 5,
        revenue_outcomes: 2,
        failed_outcomes: 1,
        total_revenue_cents: 4,
        other_value_cents: 7020,
        net_value_cents: 2,
        roi_multiplier: 2,
      },
    });
    // One agent is idle, and the alert about it is raised at some point.
    await eventually("the alerts are those of the list", async () => {
      const { alerts } = await client.call("alerts.list");
      const { triggered, unread, critical } = (await client.call("dashboard.get")).alerts;
      return alerts.length === 1 && triggered === 1 && unread === 1 && critical === 0;
    });
    expect((await client.call("dashboard.get", { days: 1 })).cost.total_cost_microcents).toBe(50_000);
    expect(dashboard.cost.total_cost_microcents).toBe(analytics.summary.total_cost_microcents);
    expect(sumLines(dashboard.trend)).toEqual(sumLines(analytics.trend));
    expect(dashboard.agents_list.find(agent => agent.id === agentId("a"))).toMatchObject({
      call_count: 1,
      cost_microcents: 150_000,
      cost_cents: 1.5,
    });
  });
});
