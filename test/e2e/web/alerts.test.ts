import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { alertTypes } from "@tollgate/core/alerts/alert-types";
import { refusal } from "../../support/clients/refusal.ts";
import { type ControlLab, NOON, startControlLab } from "../../support/labs/control-lab.ts";

let lab: ControlLab;
beforeAll(async () => {
  lab = await startControlLab();
});
afterAll(() => lab.stop());

const channels = ["email", "slack", "telegram", "webhook"];

async function addAlerts(orgId: string, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index++) {
    const id = crypto.randomUUID();
    ids.push(id);
    await lab.db
      .insertInto("alerts")
      .values({
        id,
        org_id: orgId,
        mode: "live",
        alert_key: id,
        type: alertTypes[index % alertTypes.length] ?? "cost_spike",
        severity: index % 2 === 0 ? "info" : "critical",
        message: `alert ${index}`,
        metadata: JSON.stringify({ index }),
        agent_id: null,
        triggered_at: lab.clock.now() - 1000 + index,
        read_at: null,
      })
      .execute();
  }
  return ids;
}

describe("alerts", () => {
  it("ALERT-001 ALERT-002 lists alerts newest first, 50 by default, with offset and filters", async () => {
    const { id, client } = await lab.organization();
    const ids = await addAlerts(id, 60);
    const list = async (query: Parameters<typeof client.call<"alerts.list">>[1] = {}) =>
      (await client.call("alerts.list", query)).alerts;
    const newest = ids.toReversed();
    expect((await list()).map(alert => alert.id)).toEqual(newest.slice(0, 50));
    expect((await list({ limit: 3, offset: 58 })).map(alert => alert.id)).toEqual(newest.slice(58));
    expect((await list({ type: "idle_agent", limit: 200 })).length).toBe(12);
    expect((await list({ severity: "critical", limit: 200 })).length).toBe(30);
    expect((await list({ limit: 1 }))[0]).toEqual({
      id: newest[0] ?? "",
      type: "budget_warning",
      triggered_at: new Date(lab.clock.now() - 941).toISOString(),
      severity: "critical",
      message: "alert 59",
      metadata: { kind: "budget_warning", index: 59 },
      agent_id: null,
      is_read: false,
      resolved_at: null,
      notifications: [],
    });
    for (const query of [
      "limit=0",
      "limit=-1",
      "limit=1.5",
      "limit=x",
      "offset=-1",
      "type=other",
      "unread_only=1",
    ]) {
      const { liveKey } = await lab.organization();
      expect((await lab.send(`/api/alerts?${query}`, { key: liveKey })).status).toBe(400);
    }
  });

  it("ALERT-002 ALERT-019 a limit above the maximum returns a full page, without an error", async () => {
    const { id, client } = await lab.organization();
    await addAlerts(id, 203);
    for (const limit of [200, 201, 500, 1_000_000]) {
      expect((await client.call("alerts.list", { limit })).alerts).toHaveLength(200);
    }
  });

  it("ALERT-020 every alert has a kind, even one that was raised without", async () => {
    const { id, client } = await lab.organization();
    await addAlerts(id, 5);
    const { alerts } = await client.call("alerts.list");
    expect(alerts.map(({ type, metadata }) => metadata.kind === type)).toEqual(new Array(5).fill(true));
  });

  it("acknowledges alerts, all or none: one of another organization is 404", async () => {
    const one = await lab.organization();
    const two = await lab.organization();
    const [first = "", second = ""] = await addAlerts(one.id, 2);
    const [foreign = ""] = await addAlerts(two.id, 1);
    const acknowledge = (...alert_ids: string[]) =>
      one.client.call("alerts.acknowledge", { action: "acknowledge", alert_ids });
    expect((await refusal(acknowledge(first, foreign))).status).toBe(404);
    const unread = async () =>
      (await one.client.call("alerts.list", { unread_only: true })).alerts.map(alert => alert.id);
    expect(await unread()).toEqual([second, first]);
    expect(await acknowledge(first, first)).toEqual({ acknowledged: 1 });
    expect(await unread()).toEqual([second]);
    expect((await two.client.call("alerts.list")).alerts[0]?.is_read).toBe(false);
  });

  it("ALERT-003 ALERT-004 ALERT-019 returns the preferences with their defaults", async () => {
    const { id, client } = await lab.organization("lite");
    expect(await client.call("alerts.preferences.get")).toEqual({
      organization_id: id,
      email: null,
      slack_webhook: null,
      telegram_chat_id: null,
      webhook_url: null,
      cost_spike: { enabled: true, threshold_pct: 50, channels },
      error_rate: { enabled: true, threshold_pct: 10, channels },
      usage_spike: { enabled: true, threshold_multiplier: 3, channels },
      idle_agent: { enabled: true, threshold_hours: 24, channels },
      budget_warning: { enabled: true, threshold_pct: 80, channels },
    } as Awaited<ReturnType<typeof client.call<"alerts.preferences.get">>>);
  });

  it("ALERT-005 ALERT-006 changes every flat field, keeps what is omitted, and names the enabled types", async () => {
    const { id, client } = await lab.organization("pro");
    const change = {
      email: "ops@example.org",
      slack_webhook: "https://hooks.example.org/x",
      telegram_chat_id: "-100123",
      webhook_url: "https://example.org/hook",
      cost_spike_enabled: false,
      cost_spike_threshold_pct: 75,
      cost_spike_channels: ["email"],
      error_rate_enabled: true,
      error_rate_threshold_pct: 12.5,
      error_rate_channels: [],
      usage_spike_enabled: false,
      usage_spike_threshold_multiplier: 4,
      usage_spike_channels: ["slack", "webhook"],
      idle_agent_enabled: true,
      idle_agent_threshold_hours: 48,
      idle_agent_channels: ["telegram"],
      budget_warning_enabled: true,
      budget_warning_threshold_pct: 90,
      budget_warning_channels: ["webhook"],
    } satisfies Parameters<typeof client.call<"alerts.preferences.update">>[1];
    expect(await client.call("alerts.preferences.update", change)).toEqual({
      organization_id: id,
      updated_at: NOON,
      alert_types: ["error_rate", "idle_agent", "budget_warning"],
    });
    // Telegram itself shows chat ids as numbers.
    await client.call("alerts.preferences.update", { telegram_chat_id: -100123 });
    const changed = await client.call("alerts.preferences.get");
    expect(changed).toEqual({
      organization_id: id,
      email: "ops@example.org",
      slack_webhook: "https://hooks.example.org/x",
      telegram_chat_id: "-100123",
      webhook_url: "https://example.org/hook",
      cost_spike: { enabled: false, threshold_pct: 75, channels: ["email"] },
      error_rate: { enabled: true, threshold_pct: 12.5, channels: [] },
      usage_spike: { enabled: false, threshold_multiplier: 4, channels: ["slack", "webhook"] },
      idle_agent: { enabled: true, threshold_hours: 48, channels: ["telegram"] },
      budget_warning: { enabled: true, threshold_pct: 90, channels: ["webhook"] },
    });
    await client.call("alerts.preferences.update", { email: null, cost_spike_enabled: true });
    expect(await client.call("alerts.preferences.get")).toEqual({
      ...changed,
      email: null,
      cost_spike: { ...changed.cost_spike, enabled: true },
    });
  });

  it.each([
    ["cost_spike_channels", { cost_spike_channels: ["email", "pager"] }],
    ["cost_spike_channels", { cost_spike_channels: ["email", "email"] }],
    ["cost_spike_channels", { cost_spike_channels: "email" }],
    ["email", { email: "nobody" }],
    ["webhook_url", { webhook_url: "ftp://example.org" }],
    ["slack_webhook", { slack_webhook: "https://user:pass@example.org" }],
    ["telegram_chat_id", { telegram_chat_id: "two words" }],
    ["telegram_chat_id", { telegram_chat_id: 1.5 }],
    ["budget_warning_threshold_pct", { budget_warning_threshold_pct: 100.5 }],
    ["usage_spike_threshold_pct", { usage_spike_threshold_pct: 5 }],
    ["idle_agent_threshold_hours", { idle_agent_threshold_hours: 0 }],
    ["error_rate_enabled", { error_rate_enabled: "yes" }],
    ["organization_id", { organization_id: "other" }],
  ])("ALERT-007 answers 400 naming %s, and changes nothing, for %j", async (field, body) => {
    const { client, liveKey } = await lab.organization("lite");
    const before = await client.call("alerts.preferences.get");
    const answer = await lab.send("/api/alerts/preferences", {
      key: liveKey,
      method: "PATCH",
      body: JSON.stringify({ budget_warning_enabled: false, ...body }),
    });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toEqual({ error: expect.stringContaining(field) });
    expect(await client.call("alerts.preferences.get")).toEqual(before);
  });

  it("LIM-010 LIM-011 preferences, test, suggestions and leak scan are 402 only on starter", async () => {
    const calls = [
      ["GET", "/api/alerts/preferences"],
      ["PATCH", "/api/alerts/preferences"],
      ["POST", "/api/alerts/test"],
      ["GET", "/api/suggestions"],
      ["GET", "/api/cost-leak-scan"],
    ] as const;
    for (const tier of ["starter", "lite", "pro", "enterprise"] as const) {
      const { liveKey } = await lab.organization(tier);
      for (const [method, path] of calls) {
        const answer = await lab.send(path, { key: liveKey, method });
        expect([path, tier, answer.status]).toEqual([path, tier, tier === "starter" ? 402 : 200]);
        if (tier !== "starter") continue;
        expect(await answer.json()).toEqual({
          error: expect.any(String),
          required_tier: "lite",
          current_tier: "starter",
          upgrade_url: "http://tollgate.test/settings/plan",
        });
      }
    }
  });
});
