import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { refusal } from "../../support/clients/refusal.ts";
import { type ControlLab, NOON, startControlLab } from "../../support/labs/control-lab.ts";
import { eventually } from "../../support/waiting/eventually.ts";

let lab: ControlLab;
beforeAll(async () => {
  lab = await startControlLab();
});
afterAll(() => lab.stop());

describe("threshold rules", () => {
  it("ALERT-018 are set for the organization or one agent, changed by setting them again, listed and removed", async () => {
    const { client, addEvents, agentId } = await lab.organization("starter");
    await addEvents({ agent_key: "a" });
    const rule = { metric: "error_rate", threshold_value: 0.5, action: "email" } as const;
    const wide = await client.call("alerts.thresholds.set", rule);
    expect(wide).toEqual({
      id: expect.any(String),
      agent_id: null,
      ...rule,
      has_address: false,
      created_at: NOON,
      updated_at: NOON,
    });
    const ofAgent = await client.call("alerts.thresholds.set", { ...rule, agent_id: agentId("a") });
    expect(ofAgent).toMatchObject({ agent_id: agentId("a") });
    lab.clock.advance(1);
    const changed = await client.call("alerts.thresholds.set", { ...rule, threshold_value: 1 });
    expect(changed).toEqual({
      ...wide,
      threshold_value: 1,
      updated_at: new Date(lab.clock.now()).toISOString(),
    });
    const other = await client.call("alerts.thresholds.set", { ...rule, action: "webhook" });
    const { thresholds } = await client.call("alerts.thresholds.list");
    expect(thresholds).toEqual([changed, ofAgent, other]);
    await client.call("alerts.thresholds.delete", { id: wide.id });
    expect((await client.call("alerts.thresholds.list")).thresholds).toEqual([ofAgent, other]);
    const stranger = await lab.organization();
    expect((await refusal(stranger.client.call("alerts.thresholds.delete", { id: other.id }))).status).toBe(
      404,
    );
    expect((await stranger.client.call("alerts.thresholds.list")).thresholds).toEqual([]);
    expect(
      (await refusal(stranger.client.call("alerts.thresholds.set", { ...rule, agent_id: agentId("a") })))
        .status,
    ).toBe(400);
  });

  it("ALERT-018 say whether their action has an address", async () => {
    const { client } = await lab.organization();
    const set = async (action: "email" | "webhook" | "pause_agent") =>
      (
        await client.call("alerts.thresholds.set", {
          metric: "daily_cost",
          threshold_value: 1,
          action,
        })
      ).has_address;
    expect([await set("email"), await set("webhook"), await set("pause_agent")]).toEqual([
      false,
      false,
      true,
    ]);
    await client.call("alerts.preferences.update", { email: "ops@example.com" });
    expect([await set("email"), await set("webhook")]).toEqual([true, false]);
  });

  it.each([
    ["threshold_value", { threshold_value: 0 }],
    ["threshold_value", { threshold_value: -1 }],
    ["threshold_value", { threshold_value: 1.01 }],
    ["threshold_value", { threshold_value: "1" }],
    ["metric", { metric: "p50" }],
    ["action", { action: "slack" }],
    ["agent_id", { agent_id: "nobody" }],
    ["other", { other: 1 }],
  ])("ALERT-018 answers 400 naming %s for %j", async (field, change) => {
    const { liveKey, client } = await lab.organization();
    const answer = await lab.send("/api/alerts/thresholds", {
      key: liveKey,
      method: "POST",
      body: JSON.stringify({ metric: "error_rate", threshold_value: 0.5, action: "email", ...change }),
    });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toEqual({ error: expect.stringContaining(field) });
    expect((await client.call("alerts.thresholds.list")).thresholds).toEqual([]);
  });

  it("ALERT-013 a rule that is already met fires without a call, only over its own channel", async () => {
    const { id, client, addEvents } = await lab.organization();
    await client.call("alerts.preferences.update", {
      email: "ops@example.org",
      webhook_url: "http://127.0.0.1:9/alerts",
    });
    await addEvents({});
    await client.call("alerts.thresholds.set", {
      metric: "daily_cost",
      threshold_value: 0.00001,
      action: "webhook",
    });
    await eventually("it was told", async () => (await client.call("alerts.list")).alerts.length === 1);
    const channels = await lab.db
      .selectFrom("deliveries")
      .select("channel")
      .where("org_id", "=", id)
      .execute();
    expect(channels).toEqual([{ channel: "alert_webhook" }]);
    expect((await client.call("alerts.list")).alerts[0]?.notifications).toMatchObject([
      { channel: "webhook" },
    ]);
  });
});
