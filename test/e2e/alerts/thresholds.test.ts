import { describe, expect, it } from "bun:test";
import { systemEngines } from "../../support/full-size.ts";
import { alertLab, costing, DAY, failed, HOUR, look, MINUTE, times } from "../../support/labs/alert-lab.ts";

const openLab = alertLab();
const slow = (latency_ms: number) => ({ latency_ms });

describe.each(systemEngines)("threshold rules on %s", engine => {
  it("ALERT-018 daily_cost: raised when the day reaches the value, again the next day, resolved at midnight", async () => {
    const lab = await openLab(engine);
    const watch = await lab.newWatch();
    const id = await lab.setThreshold("daily_cost", 2);
    await lab.add(costing(199_999));
    await look(watch);
    expect(await lab.alerts()).toEqual([]);
    await lab.add(costing(1));
    await look(watch);
    await lab.add(costing(1));
    await look(watch);
    expect(await lab.alerts()).toMatchObject([
      {
        type: "cost_spike",
        severity: "warning",
        agent_id: null,
        metadata: { kind: "daily_cost", threshold_id: id, value: 2, threshold_value: 2, action: "email" },
        resolved_at: null,
      },
    ]);
    lab.clock.advance(DAY / 2);
    await look(watch);
    expect(await lab.alerts()).toMatchObject([{ resolved_at: lab.clock.now() }]);
    await lab.add(costing(500_000));
    await look(watch);
    expect((await lab.alerts({ type: "cost_spike" })).map(alert => alert.severity)).toEqual([
      "warning",
      "critical",
    ]);
  });

  it("ALERT-018 monthly_cost of one agent counts its days of this month, and no other agent's", async () => {
    const lab = await openLab(engine);
    const watch = await lab.newWatch();
    await lab.prefer(known => ({ usage_spike: { ...known.usage_spike, enabled: false } }));
    const mine = { agent_key: "mine" };
    await lab.add({ ...mine, ...costing(900_000), created_at: Date.parse("2026-10-31T23:59:59Z") });
    await lab.add({ ...mine, ...costing(60_000), created_at: Date.parse("2026-11-01T00:00:00Z") });
    await lab.setThreshold("monthly_cost", 1, "webhook", "mine");
    await lab.add({ agent_key: "other", ...costing(900_000) }, { ...mine, ...costing(39_999) });
    await look(watch);
    const ofThresholds = async () => (await lab.alerts()).filter(alert => alert.metadata.threshold_id);
    expect(await ofThresholds()).toEqual([]);
    await lab.add({ ...mine, ...costing(1) });
    await look(watch);
    expect(await ofThresholds()).toMatchObject([
      { agent_id: lab.agentId("mine"), metadata: { kind: "monthly_cost", value: 1 }, resolved_at: null },
    ]);
    lab.clock.set("2026-12-01T00:00:00.000Z");
    await look(watch);
    expect(await ofThresholds()).toMatchObject([{ resolved_at: lab.clock.now() }]);
  });

  it("ALERT-018 error_rate of one agent, after twenty of its calls; a new rule applies to past calls", async () => {
    const lab = await openLab(engine);
    const watch = await lab.newWatch();
    await lab.prefer(known => ({ error_rate: { ...known.error_rate, enabled: false } }));
    const mine = { agent_key: "mine" };
    await lab.add(...times(100, {}), ...times(14, mine), ...times(5, { ...mine, ...failed }));
    await look(watch);
    const id = await lab.setThreshold("error_rate", 0.25, "email", "mine");
    await look(watch);
    expect(await lab.alerts()).toEqual([]);
    await lab.add(mine);
    await look(watch);
    // It fires even if the type is disabled, because the rule was requested.
    expect(await lab.alerts()).toMatchObject([
      { type: "error_rate", metadata: { kind: "error_rate", threshold_id: id, value: 0.25, calls: 20 } },
    ]);
    lab.clock.advance(61 * MINUTE);
    await look(watch);
    expect(await lab.alerts({ type: "error_rate" })).toMatchObject([{ resolved_at: lab.clock.now() }]);
  });

  it("ALERT-018 ALERT-020 latency_p99 is exact at its threshold, regardless of histogram buckets", async () => {
    const lab = await openLab(engine);
    const watch = await lab.newWatch();
    await lab.setThreshold("latency_p99", 1001);
    await lab.add(...times(98, slow(20)), slow(1000), slow(90_000));
    await look(watch);
    expect(await lab.alerts()).toEqual([]);
    await lab.add(slow(1001));
    await look(watch);
    expect(await lab.alerts()).toMatchObject([
      {
        type: "error_rate",
        metadata: { kind: "latency_p99", value: 1001, threshold_value: 1001, calls: 101 },
      },
    ]);
  });

  it("ALERT-017 pauses only its own agent with the alert, and not again in that period after a resume", async () => {
    const lab = await openLab(engine);
    const watch = await lab.newWatch();
    await lab.add({ agent_key: "mine" }, { agent_key: "other" });
    await lab.setThreshold("daily_cost", 1, "pause_agent", "mine");
    await lab.prefer(() => ({ email: "someone@tollgate.example" }));
    await lab.add({ agent_key: "mine", ...costing(99_999) }, { agent_key: "other", ...costing(500_000) });
    await look(watch);
    expect(await lab.pausedAgents()).toEqual([]);
    await lab.add({ agent_key: "mine", ...costing(1) });
    await look(watch);
    expect(await lab.pausedAgents()).toEqual(["mine"]);
    const id = lab.agentId("mine");
    expect(await lab.alerts()).toMatchObject([
      {
        severity: "critical",
        agent_id: id,
        message: `$0.01 was spent on 2026-11-15 by the agent mine. The agent mine was paused. POST /api/agents/${id}/resume resumes it`,
        metadata: { agent_key: "mine", paused_agents: ["mine"], paused_agents_count: 1 },
      },
    ]);
    // The message says the same, and names the organization.
    const [sent] = await lab.db.selectFrom("deliveries").select("body").execute();
    expect(JSON.parse(sent?.body ?? "{}").data).toMatchObject({
      organization_name: expect.stringMatching(/./),
      message: expect.stringContaining("The agent mine was paused."),
      metadata: { paused_agents: ["mine"] },
    });
    await lab.db.updateTable("agent_settings").set({ paused_at: null }).execute();
    await lab.add({ agent_key: "mine", ...costing(1) });
    await look(watch);
    expect(await lab.pausedAgents()).toEqual([]);
    lab.clock.advance(DAY / 2);
    await lab.add({ agent_key: "mine", ...costing(100_000) });
    await look(watch);
    expect(await lab.pausedAgents()).toEqual(["mine"]);
  });

  it("ALERT-013 ALERT-017 a raised value is a new threshold: when reached, it raises an alert and pauses again in the same month", async () => {
    const lab = await openLab(engine);
    await lab.add({ agent_key: "mine" });
    const watch = await lab.newWatch();
    const id = await lab.setThreshold("monthly_cost", 1, "pause_agent", "mine");
    await lab.add({ agent_key: "mine", ...costing(100_000) });
    await look(watch);
    expect(await lab.pausedAgents()).toEqual(["mine"]);
    await lab.db.updateTable("agent_settings").set({ paused_at: null }).execute();
    await lab.db.updateTable("alert_thresholds").set({ threshold_value: 2 }).where("id", "=", id).execute();
    await look(watch);
    expect(await lab.alerts({ type: "cost_spike" })).toMatchObject([{ resolved_at: lab.clock.now() }]);
    expect(await lab.pausedAgents()).toEqual([]);
    await lab.add({ agent_key: "mine", ...costing(100_000) });
    await look(watch);
    expect(
      (await lab.alerts({ type: "cost_spike" })).map(({ metadata }) => metadata.threshold_value),
    ).toEqual([1, 2]);
    expect(await lab.pausedAgents()).toEqual(["mine"]);
  });

  it("ALERT-017 of the whole organization: pauses every agent that called within the hour, and none for a past day", async () => {
    const lab = await openLab(engine);
    const watch = await lab.newWatch();
    await lab.add({ agent_key: "early" });
    lab.clock.advance(2 * HOUR);
    await lab.setThreshold("error_rate", 0.5, "pause_agent");
    await lab.setThreshold("daily_cost", 1, "pause_agent");
    await lab.add(...times(10, { agent_key: "a", ...failed }), ...times(10, { agent_key: "b" }));
    await look(watch);
    expect(await lab.pausedAgents()).toEqual(["a", "b"]);
    const [told] = (await lab.alerts()).filter(({ metadata }) => metadata.kind === "error_rate");
    expect(told?.message).toEndWith(
      "2 agents were paused. POST /api/agents/:id/resume lets each of them call again",
    );
    expect(told?.metadata.paused_agents_count).toBe(2);
    expect(JSON.stringify(told?.metadata.paused_agents)).toMatch(/^\["[ab]","[ab]"\]$/);
    await lab.db.updateTable("agent_settings").set({ paused_at: null }).execute();
    const evening = Date.parse("2026-11-15T23:59:59Z");
    lab.clock.set("2026-11-16T00:00:01.000Z");
    await lab.add({ agent_key: "c", ...costing(200_000), created_at: evening });
    await look(watch);
    expect((await lab.alerts({ type: "cost_spike" })).map(alert => alert.metadata.kind)).toEqual([
      "daily_cost",
    ]);
    expect(await lab.pausedAgents()).toEqual([]);
  });
});
