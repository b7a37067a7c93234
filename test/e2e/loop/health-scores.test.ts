import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { microcents } from "@tollgate/core/money/money";
import { wilsonInterval } from "@tollgate/core/statistics/wilson-interval";
import { DAY_MS } from "@tollgate/core/time/durations";
import { systemEngines } from "../../support/full-size.ts";
import { controlDatabases } from "../../support/labs/control-databases.ts";
import { type ControlLab, startControlLab } from "../../support/labs/control-lab.ts";
import { openToolClient, type ToolClient } from "../../support/labs/tool-clients.ts";
import { eventually } from "../../support/waiting/eventually.ts";

const databases = controlDatabases();

describe.each(systemEngines)("health scores on %s", engine => {
  let lab: ControlLab;
  let org: Awaited<ReturnType<ControlLab["organization"]>>;
  let toolClient: ToolClient;
  beforeAll(async () => {
    // By default the gateway's own file, so that its budgets are counted.
    lab = await startControlLab(await databases.place(engine));
    org = await lab.organization();
    const now = lab.clock.now();
    const calls = (agent_key: string, count: number, daysAgo: number, change = {}) =>
      Array.from({ length: count }, (_, index) => ({
        agent_key,
        created_at: now - daysAgo * DAY_MS - index * 60_000,
        latency_ms: 100,
        request_hash: `${agent_key} ${daysAgo} ${index}`,
        cost_microcents: microcents(1000),
        ...change,
      }));
    await org.addEvents(
      ...calls("steady", 40, 1),
      ...calls("steady", 60, 20, { session_id: "run" }),
      ...calls("failing", 30, 2, { status: "error", http_status: 500 }),
      ...calls("quiet", 25, 9),
      ...calls("new", 19, 0),
      ...calls("archived", 30, 1),
      ...calls("jittery", 60, 20),
      ...calls("jittery", 18, 1),
      ...calls("jittery", 2, 3, { latency_ms: 10_000 }),
    );
    await org.client.call("agents.update", { id: org.agentId("archived"), archived: true });
    for (const success of [true, true, true, false]) {
      await org.client.call("outcomes.create", { name: "done", agent_id: org.agentId("steady"), success });
    }
    // One without success or failure, and one credited by its session.
    await org.client.call("outcomes.create", { name: "done", agent_id: org.agentId("steady") });
    await org.client.call("outcomes.create", { name: "done", session_id: "run", success: false });
    await eventually("the profile has followed", async () => {
      const { total_agents_scanned } = await org.client.call("cost_leak_scan.run", {});
      const { insufficient_data } = await org.client.call("suggestions.list", {});
      return total_agents_scanned === 5 && insufficient_data.some(one => one.reason.startsWith("19 calls"));
    });
    toolClient = await openToolClient("hosted, new client", lab.url, org.liveKey);
  });
  afterAll(async () => {
    await toolClient.close();
    await lab.stop();
  });

  const scores = async () => {
    const { scores: all } = await org.client.call("health_scores.list", {});
    return new Map(all.map(one => [one.agent_name, one]));
  };

  it("LOOP-016 returns each agent's score from 0 to 100, its grade and the completeness of its data", async () => {
    const all = await scores();
    expect([...all.keys()]).toEqual(["failing", "jittery", "new", "quiet", "steady"]);
    const steady = all.get("steady");
    expect(steady).toMatchObject({ status: "scored", calls: 100, is_stale: false });
    expect(steady?.parts.reliability).toBeCloseTo(wilsonInterval(100, 100)?.low ?? 0, 12);
    expect(steady?.parts).toMatchObject({ latency_steadiness: 1, outcomes: 0.6, budgets: null });
    const { reliability, cost_efficiency, outcomes, latency_steadiness } = steady?.parts ?? {};
    const sum =
      30 * (reliability ?? 0) +
      25 * (cost_efficiency ?? 0) +
      20 * (outcomes ?? 0) +
      15 * (latency_steadiness ?? 0);
    expect(steady?.score).toBe(Math.floor((100 * sum) / 90 + 0.5));
    expect(steady?.data_completeness).toBeCloseTo(0.9, 12);
    expect(all.get("jittery")?.parts.latency_steadiness).toBeLessThan(0.1);
  });

  it("LOOP-027 does not score an agent with fewer than 20 calls, and excludes archived ones", async () => {
    const all = await scores();
    expect(all.get("new")).toMatchObject({
      status: "insufficient_data",
      score: null,
      grade: null,
      calls: 19,
    });
    expect(all.has("archived")).toBe(false);
  });

  it("LOOP-018 ranks by score with percentile, fleet summary and warnings about stale scores", async () => {
    const { rankings, fleet, stale_warnings, agent_count } = await org.client.call(
      "health_scores.rankings",
      {},
    );
    const order = rankings.map(({ score }) => score);
    expect(order).toEqual(order.toSorted((a, b) => b - a));
    expect(rankings.map(({ agent_name }) => agent_name).at(-1)).toBe("failing");
    expect(rankings.at(-1)).toMatchObject({ rank: 4, percentile: 12.5 });
    expect([agent_count, fleet.scored_agents, fleet.unscored_agents]).toEqual([5, 4, 1]);
    expect(fleet.average_score).toBe(Math.floor(order.reduce((sum, one) => sum + one, 0) / 4 + 0.5));
    expect(stale_warnings.map(({ agent_name }) => agent_name)).toEqual(["quiet"]);
    const page = await org.client.call("health_scores.rankings", { limit: 1, offset: 3 });
    expect(page.rankings).toEqual(rankings.slice(3));
  });

  it("LOOP-016 LOOP-018 the tools return the same, and another organization sees none of it", async () => {
    const listed = await toolClient.call("svc_get_health_scores");
    expect(listed.structured).toEqual({ ...(await org.client.call("health_scores.list", {})) });
    expect(listed.text).toContain("5 agents, 4 with a score");
    const ranked = await toolClient.call("svc_get_rankings");
    expect(ranked.structured).toEqual({ ...(await org.client.call("health_scores.rankings", {})) });
    expect(ranked.text).toContain("Stale scores");
    const other = await lab.organization();
    const none = await other.client.call("health_scores.rankings", {});
    expect(none).toMatchObject({ rankings: [], stale_warnings: [], agent_count: 0 });
    expect(none.fleet).toEqual({ average_score: null, grade: null, scored_agents: 0, unscored_agents: 0 });
    expect((await org.testClient.call("health_scores.list", {})).scores).toEqual([]);
  });

  it("LOOP-027 counts the ended periods of an agent's own budgets", async () => {
    const budgeted = await lab.organization();
    await budgeted.addEvents({ agent_key: "spender" });
    const limits = { period: "daily", limit_microcents: 5000, enforcement_mode: "alert_only" } as const;
    const agent_id = budgeted.agentId("spender");
    await budgeted.client.call("budgets.create", { ...limits, agent_id });
    // The organization's own budget is not part of any agent's score.
    await budgeted.client.call("budgets.create", { ...limits, limit_microcents: 1 });
    await eventually("the gateway counts for the budgets", async () => {
      await budgeted.addEvents({ agent_key: "spender", cost_microcents: microcents(1) });
      const { budgets } = await budgeted.client.call("budgets.status");
      return budgets.every(({ current_spending_microcents: spent }) => spent > 0);
    });
    for (const calls of [10, 2, 3]) {
      await budgeted.addEvents(
        ...Array.from({ length: calls }, () => ({
          agent_key: "spender",
          created_at: lab.clock.now() + 1,
          cost_microcents: microcents(1000),
        })),
      );
      lab.clock.advance(DAY_MS);
    }
    const [spender] = (await budgeted.client.call("health_scores.list", {})).scores;
    expect(spender?.parts.budgets).toBeCloseTo(2 / 3, 12);
  });
});
