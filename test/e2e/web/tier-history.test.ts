import { afterAll, beforeAll, beforeEach, describe, expect, it } from "bun:test";
import type { Event } from "@tollgate/core/event";
import { type Tier, tierNames } from "@tollgate/core/limits/tiers";
import { microcents } from "@tollgate/core/money/money";
import { DAY_MS } from "@tollgate/core/time/durations";
import { type ControlLab, NOON, NOON_MS, startControlLab } from "../../support/labs/control-lab.ts";
import { callAt } from "./call-at.ts";
import { sumLines } from "./sum-lines.ts";

let lab: ControlLab;
beforeAll(async () => {
  lab = await startControlLab();
});
beforeEach(() => lab.clock.set(NOON));
afterAll(() => lab.stop());

describe("history", () => {
  const shown = { starter: 7, lite: 30, pro: 90, enterprise: 400 } as const satisfies Record<Tier, number>;

  it.each(tierNames.map(tier => [tier, shown[tier]] as const))(
    "LIM-012 LIM-013 LIM-017 on %s silently limits every answer to the last %d days",
    async (tier, days) => {
      const { client, liveKey, addEvents, agentId } = await lab.organization(tier);
      const at = (age: number, change: Partial<Event>) => ({
        created_at: NOON_MS - age,
        cost_microcents: microcents(1),
        customer_id: "c",
        ...change,
      });
      const inside = [1, 6.9, 7.1, 29.9, 30.1, 89.9, 90.1, 399.9].filter(age => age < days);
      const [old] = await addEvents(
        at((days + 0.1) * DAY_MS, { session_id: "old" }),
        // One that started before the visible history, and continues.
        at((days + 0.2) * DAY_MS, { session_id: "s1", customer_id: null, config_version: "v" }),
        at(2 * DAY_MS, { session_id: "s1", customer_id: null, config_version: "v" }),
        ...inside.map(age => at(age * DAY_MS, { session_id: `s${age}` })),
      );
      const older = tier === "enterprise" ? 1 : 0;
      const customerCount = inside.length + older;
      const count = inside.length + 1 + 2 * older;
      const asked = { days: 1_000_000 };
      expect((await client.call("analytics.get", asked)).summary.total_calls).toBe(count);
      expect((await client.call("analytics.get", { from: "2020-01-01" })).summary.total_calls).toBe(count);
      expect((await client.call("dashboard.get", asked)).cost.total_calls).toBe(count);
      const metrics = await client.call("agents.metrics", { id: agentId("default"), ...asked });
      expect([metrics.totals.call_count, sumLines(metrics.by_day).calls]).toEqual([count, count]);
      if (tier !== "enterprise") {
        expect(metrics.period).toEqual({ from: new Date(NOON_MS - days * DAY_MS).toISOString(), to: NOON });
      }
      const { events } = await client.call("events.list", { limit: 500, from: "2020-01-01" });
      expect(events).toHaveLength(count);
      const { sessions } = await client.call("sessions.list", { ...asked, limit: 500 });
      expect(sessions).toHaveLength(inside.length + older);
      expect(sessions.find(({ id }) => id === "s1")?.call_count).toBe(2 + older);
      expect((await client.call("sessions.get", { id: "s1" })).call_count).toBe(2 + older);
      const [version] = (await client.call("config_versions.list", asked)).config_versions;
      expect(version?.call_count).toBe(1 + older);
      const [customer] = (await client.call("customers.list", asked)).customers;
      expect([customer?.call_count, customer?.cost_microcents]).toEqual([customerCount, customerCount]);
      expect((await client.call("customers.get", { id: "c", ...asked })).call_count).toBe(customerCount);
      const one = await lab.send(`/api/events/${old?.id}`, { key: liveKey });
      expect(one.status).toBe(tier === "enterprise" ? 200 : 404);
      const session = await lab.send("/api/sessions/old", { key: liveKey });
      expect(session.status).toBe(tier === "enterprise" ? 200 : 404);
      const file = await client.call("events.export", { format: "json" });
      expect(((await file.json()) as { events: unknown[] }).events).toHaveLength(count);
    },
  );
});

describe("usage of the tier's limits", () => {
  it("LIM-003 WEB-012 counts agents, budgets, the month's live calls and days of history", async () => {
    const { client, testClient, addEvents } = await lab.organization("pro");
    await addEvents(
      callAt("2026-11-10T12:00:00Z", 1, { agent_key: "a" }),
      callAt("2026-11-14T12:00:00Z", 1, { agent_key: "b" }),
      callAt("2026-10-14T12:00:00Z", 1, { agent_key: "b" }),
      callAt("2026-11-14T12:00:00Z", 1, { agent_key: "c", mode: "test" }),
    );
    await client.call("budgets.create", {
      period: "daily",
      limit_microcents: 1,
      enforcement_mode: "alert_only",
    });
    expect(await client.call("organization.usage")).toEqual({
      tier: "pro",
      agents: { limit: null, used: 2 },
      monthly_calls: { limit: 100_000, used: 2, resets_at: "2026-12-01T00:00:00.000Z" },
      burst_per_minute: { limit: 500, used: null },
      history_days: { limit: 90, used: 32 },
      budgets: { limit: 10, used: 1 },
    });
    expect(await testClient.call("organization.usage")).toMatchObject({
      agents: { used: 1 },
      monthly_calls: { used: null },
      budgets: { used: 0 },
    });
  });
});
