import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { wilsonInterval } from "@tollgate/core/statistics/wilson-interval";
import { DAY_MS, HOUR_MS } from "@tollgate/core/time/durations";
import { builtInPolicies } from "@tollgate/core/verification/trial-plan";
import { expectEnvelopes } from "../../support/expect-envelopes.ts";
import { systemEngines } from "../../support/full-size.ts";
import { controlDatabases } from "../../support/labs/control-databases.ts";
import { type ControlLab, startControlLab } from "../../support/labs/control-lab.ts";
import { openToolClient, type ToolClient } from "../../support/labs/tool-clients.ts";
import { storedRows } from "../../support/rows/stored-rows.ts";
import { eventually } from "../../support/waiting/eventually.ts";

const databases = controlDatabases();

describe.each(systemEngines)("signal readiness on %s", engine => {
  let lab: ControlLab;
  let org: Awaited<ReturnType<ControlLab["organization"]>>;
  let toolClient: ToolClient;
  const readiness = async () => {
    const answer = await org.client.call("loop_views.readiness", {});
    return new Map(answer.agents.map(agent => [agent.agent_name, agent]));
  };

  beforeAll(async () => {
    lab = await startControlLab(await databases.place(engine));
    org = await lab.organization();
    const now = lab.clock.now();
    // Ten whole days of 400 and 200 calls would be slow to make here: a tenth of that.
    const busy = Array.from({ length: 10 }, (_, day) =>
      Array.from({ length: day % 2 === 0 ? 40 : 20 }, (_, call) => ({
        agent_key: "busy",
        created_at: now - (day + 1) * DAY_MS - call * 1000,
        session_id: call < 10 ? `run ${day} ${call}` : null,
        config_version: call < 5 ? "v1" : null,
      })),
    ).flat();
    await org.addEvents(...busy, { agent_key: "new", created_at: now - 1000 });
    for (const day of [0, 0, 1, 2, 3]) {
      await lab.db
        .insertInto("outcomes")
        .values({
          id: crypto.randomUUID(),
          org_id: org.id,
          mode: "live",
          name: "done",
          session_id: `run ${day} 0`,
          source: "manual",
          success: 1,
          metadata: "{}",
          // Two of one session; hours after its only call: 1, 1, 2, 3, 4.
          created_at: now - (day + 1) * DAY_MS + (day + 1) * HOUR_MS,
        })
        .execute();
    }
    await eventually("the profile has followed", async () => {
      const agent = (await readiness()).get("busy");
      return agent?.join_rate.sessions.value === 100;
    });
    toolClient = await openToolClient("hosted, new client", lab.url, org.liveKey);
  });
  afterAll(async () => {
    await toolClient.close();
    await lab.stop();
  });

  it("LOOP-004 gives coverage, label lag and join rate of each agent, the busiest first", async () => {
    const agents = await readiness();
    expect([...agents.keys()]).toEqual(["busy", "new"]);
    const busy = agents.get("busy");
    const { calls, with_session, with_config_version } = busy?.event_coverage ?? {};
    expect(calls).toMatchObject({ value: 180, method: "count", ci_low: null });
    expect(with_session?.value).toBeCloseTo(60 / 180, 12);
    expect(with_session?.ci_low).toBeCloseTo(wilsonInterval(60, 180)?.low ?? 0, 12);
    expect(with_config_version?.value).toBeCloseTo(30 / 180, 12);
    expect(busy?.label_lag).toMatchObject({
      outcomes: { value: 5 },
      median_ms: { value: 2 * HOUR_MS, method: "exact" },
      p90_ms: { value: 4 * HOUR_MS },
    });
    expect(busy?.join_rate.with_outcome).toMatchObject({ value: 0.04, method: "ratio_wilson" });
  });

  it("LOOP-004 compares the volume with what a verdict needs, and says which evidence is possible", async () => {
    const agents = await readiness();
    const power = agents.get("busy")?.volume_versus_power;
    expect(power?.calls_per_day.value).toBeCloseTo(30, 12);
    // One sampled call in ten is a control.
    const pairsPerDay = 30 * builtInPolicies[0].sample_share * 0.9;
    expect(power?.pairs_per_day.value).toBeCloseTo(pairsPerDay, 12);
    expect(power?.pairs_needed).toMatchObject({ value: 310, method: "exact" });
    expect(power?.days_to_verdict.value).toBeCloseTo(310 / pairsPerDay, 9);
    expect(power?.days_to_verdict.ci_low).toBeLessThan(310 / pairsPerDay);
    const reasons = (name: string) => agents.get(name)?.estimators.map(({ reason }) => reason);
    expect(reasons("busy")).toEqual(["insufficient_volume", null, null]);
    // Its first day is not over, so nobody knows yet.
    expect(reasons("new")).toEqual([null, "missing_sessions", null]);
    expect(agents.get("new")?.volume_versus_power.days_to_verdict.value).toBeNull();
    await org.client.call("agents.update", { id: org.agentId("new"), archived: true });
    expect((await readiness()).get("new")?.estimators[0]?.reason).toBe("agent_inactive");
  });

  it("LOOP-004 counts the blocked proposals of an agent by reason", async () => {
    const proposal = (id: string, status: "blocked" | "open") => ({
      id,
      org_id: org.id,
      mode: "live" as const,
      proposal_key: id,
      source: "suggestion" as const,
      source_id: id,
      agent_id: org.agentId("new"),
      action_type: "model_switch" as const,
      status,
      blocked_reason: status === "blocked" ? ("no_verdict" as const) : null,
      impact: "{}",
      payload: "{}",
      decided_by: null,
      decided_at: null,
      created_at: lab.clock.now(),
      updated_at: lab.clock.now(),
    });
    await lab.db
      .insertInto("proposals")
      .values([proposal("one", "blocked"), proposal("two", "blocked"), proposal("three", "open")])
      .execute();
    const blocked = (await readiness()).get("new")?.blocked_proposals ?? [];
    const unverified = blocked.find(({ reason }) => reason === "no_verdict");
    expect(unverified?.proposals).toMatchObject({ value: 2, method: "count" });
    await lab.db.deleteFrom("proposals").where("org_id", "=", org.id).execute();
  });

  it("LOOP-001 LOOP-003 the tool answers the same in envelopes and changes nothing; others see none of it", async () => {
    const before = await storedRows(lab);
    const { structured, text } = await toolClient.call("svc_get_signal_readiness");
    expect(structured).toEqual({ ...(await org.client.call("loop_views.readiness", {})) });
    expect(expectEnvelopes("readiness", structured)).toBeGreaterThanOrEqual(28);
    expect(text).toContain("2 agents");
    expect(await storedRows(lab)).toEqual(before);
    const other = await lab.organization();
    for (const client of [other.client, org.testClient]) {
      const { agents, agent_count } = await client.call("loop_views.readiness", {});
      expect([agents, agent_count.value]).toEqual([[], 0]);
    }
    const page = await org.client.call("loop_views.readiness", { limit: 1, offset: 1 });
    expect(page.agents.map(({ agent_name }) => agent_name)).toEqual(["new"]);
  });
});
