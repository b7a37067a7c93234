import { describe, expect, it } from "bun:test";
import { systemEngines } from "../../support/full-size.ts";
import {
  alertLab,
  costing,
  DAY,
  failed,
  HOUR,
  look,
  MINUTE,
  NOON,
  times,
} from "../../support/labs/alert-lab.ts";

const openLab = alertLab();
const at = (time: string) => ({ created_at: Date.parse(time) });

describe.each(systemEngines)("alerts on %s", engine => {
  it("ALERT-008 cost_spike: above 150 % of the mean day, once a day, resolved when the day ends", async () => {
    const lab = await openLab(engine);
    const watch = await lab.newWatch();
    for (const day of ["12", "13", "14"])
      await lab.add({ ...costing(100), ...at(`2026-11-${day}T20:00:00Z`) });
    await lab.add(costing(150));
    await look(watch);
    expect(await lab.alerts({ type: "cost_spike" })).toEqual([]);
    await lab.add(costing(1));
    await look(watch);
    await lab.add(costing(500));
    await look(watch);
    expect(await lab.alerts({ type: "cost_spike" })).toMatchObject([
      {
        type: "cost_spike",
        severity: "warning",
        triggered_at: Date.parse(NOON),
        resolved_at: null,
        metadata: { current_spending: 151, average_spending: 100, percentage_increase: 51 },
      },
    ]);
    lab.clock.set("2026-11-16T00:00:00.000Z");
    await look(watch);
    expect((await lab.alerts({ type: "cost_spike" }))[0]?.resolved_at).toBe(lab.clock.now());
    await lab.add(costing(5000));
    await look(watch);
    expect((await lab.alerts({ type: "cost_spike" })).map(alert => alert.metadata.period_id)).toEqual([
      "2026-11-15",
      "2026-11-16",
    ]);
  });

  it("raises nothing for an organization while it is suspended", async () => {
    const lab = await openLab(engine);
    const watch = await lab.newWatch();
    const become = (status: string) =>
      lab.db.updateTable("organizations").set({ status }).where("id", "=", lab.orgId).execute();
    await become("suspended");
    await lab.add(...times(30, failed));
    await look(watch);
    lab.clock.advance(2 * DAY);
    await look(watch);
    expect(await lab.alerts()).toEqual([]);
    await become("active");
    await look(watch);
    expect(await lab.alerts()).toMatchObject([{ type: "idle_agent" }]);
  });

  it("ALERT-013 raises yesterday's alert even if nothing was evaluated around midnight", async () => {
    const lab = await openLab(engine);
    const watch = await lab.newWatch();
    for (const day of ["11", "12", "13"])
      await lab.add({ ...costing(100), ...at(`2026-11-${day}T20:00:00Z`) });
    await look(watch);
    await lab.add({ ...costing(1000), ...at("2026-11-14T23:59:00Z") }, costing(1));
    const next = await lab.newWatch();
    await next.catchUp();
    expect(await lab.alerts({ type: "cost_spike" })).toMatchObject([
      {
        type: "cost_spike",
        resolved_at: null,
        metadata: { period_id: "2026-11-14", current_spending: 1000 },
      },
    ]);
    await next.tick();
    expect(await lab.alerts({ type: "cost_spike" })).toMatchObject([{ resolved_at: lab.clock.now() }]);
  });

  it("ALERT-009 error_rate: raised once while it lasts, resolved when the rate is below, raised again in another hour", async () => {
    const lab = await openLab(engine);
    const watch = await lab.newWatch();
    await lab.add(...times(18, {}), failed, failed);
    await look(watch);
    expect(await lab.alerts({ type: "error_rate" })).toEqual([]);
    await lab.add(failed);
    await look(watch);
    expect(await lab.alerts({ type: "error_rate" })).toMatchObject([
      { type: "error_rate", metadata: { calls: 21, errors: 3, threshold_pct: 10 }, resolved_at: null },
    ]);
    lab.clock.advance(HOUR / 2);
    await lab.add(...times(9, failed));
    lab.clock.advance(HOUR / 2 - 1);
    await lab.add(...times(20, failed));
    await look(watch);
    lab.clock.advance(2);
    await lab.add(...times(20, failed));
    await look(watch);
    // 13:00 is another hour, but the condition never ended.
    expect(await lab.alerts({ type: "error_rate" })).toHaveLength(1);
    lab.clock.advance(61 * MINUTE);
    await look(watch);
    expect(await lab.alerts({ type: "error_rate" })).toMatchObject([{ resolved_at: lab.clock.now() }]);
    await lab.add(...times(20, failed));
    await look(watch);
    expect((await lab.alerts({ type: "error_rate" })).map(alert => alert.severity)).toEqual([
      "warning",
      "critical",
    ]);
  });

  it("ALERT-014 error_rate: a threshold crossed in the middle of a batch is raised, even if the batch ends below it", async () => {
    const lab = await openLab(engine);
    const watch = await lab.newWatch();
    await lab.add(...times(17, {}), ...times(3, failed), ...times(500, {}));
    await watch.catchUp();
    expect(await lab.alerts({ type: "error_rate" })).toMatchObject([
      { type: "error_rate", metadata: { calls: 20, errors: 3 } },
    ]);
    await watch.tick();
    expect(await lab.alerts({ type: "error_rate" })).toMatchObject([{ resolved_at: lab.clock.now() }]);
  });

  it("ALERT-010 usage_spike: more than three times the mean hour since the first call, after at least a day and twenty calls", async () => {
    const lab = await openLab(engine);
    const watch = await lab.newWatch();
    const start = Date.parse(NOON) - 26 * HOUR;
    for (let hour = 0; hour < 25; hour++) await lab.add(...times(7, { created_at: start + hour * HOUR }));
    await lab.add(...times(21, {}));
    await look(watch);
    expect(await lab.alerts({ type: "usage_spike" })).toEqual([]);
    await lab.add({});
    await look(watch);
    expect(await lab.alerts({ type: "usage_spike" })).toMatchObject([
      { type: "usage_spike", metadata: { calls: 22, average_calls: 7, multiple: 3.14 } },
    ]);
    lab.clock.advance(HOUR);
    await look(watch);
    expect(await lab.alerts({ type: "usage_spike" })).toMatchObject([{ resolved_at: lab.clock.now() }]);
  });

  it("ALERT-010 usage_spike: imported history counts as usual, once all of it has arrived", async () => {
    const lab = await openLab(engine);
    const watch = await lab.newWatch();
    const start = lab.clock.now() - 8 * DAY;
    const hours = Array.from({ length: 8 * 24 }, (_, hour) => start + hour * HOUR + MINUTE);
    // Oldest first, two days at a time, at a steady ten calls an hour, including the last one.
    for (let from = 0; from < hours.length; from += 48) {
      const calls = hours
        .slice(from, from + 48)
        .flatMap(at => times(10, { created_at: at, source: "ingest" as const }));
      await lab.add(...calls);
      await look(watch);
    }
    await lab.add({});
    await look(watch);
    expect(await lab.alerts({ type: "usage_spike" })).toEqual([]);
    await lab.add(...times(21, {}));
    await look(watch);
    expect(await lab.alerts({ type: "usage_spike" })).toMatchObject([{ metadata: { average_calls: 10 } }]);
  });

  it("imported history raises no alert about hours and days that ended long before the import", async () => {
    const lab = await openLab(engine);
    await lab.setThreshold("daily_cost", 1);
    await lab.setThreshold("latency_p99", 5000);
    await lab.prefer(known => ({ idle_agent: { ...known.idle_agent, enabled: false } }));
    const watch = await lab.newWatch();
    const imported = (change: object, ageMs: number) => ({
      ...change,
      source: "ingest" as const,
      created_at: lab.clock.now() - ageMs,
    });
    const steady = Array.from({ length: 12 * 24 }, (_, hour) => imported(costing(1), 14 * DAY - hour * HOUR));
    const bad = (ageMs: number) =>
      times(30, imported({ ...failed, ...costing(10_000), latency_ms: 6000 }, ageMs));
    await lab.add(...steady, ...bad(10 * DAY));
    await look(watch);
    await lab.add(...bad(2 * DAY));
    await look(watch);
    // Restarted in the middle, it counts the hour of its cursor again.
    await lab.add(imported({}, 2 * DAY - MINUTE));
    await look(await lab.newWatch());
    expect(await lab.alerts()).toEqual([]);
    // Reported late but still news: yesterday evening.
    await lab.add(...bad(14 * HOUR));
    await look(watch);
    expect(
      (await lab.alerts()).map(alert => alert.alert_key.replace(/threshold:[^:]*/, "threshold")).sort(),
    ).toEqual([
      "cost_spike:2026-11-14",
      "error_rate:2026-11-14T22",
      "threshold:2026-11-14:1",
      "threshold:2026-11-14T22:5000",
      "usage_spike:2026-11-14T22",
    ]);
  });

  it("ALERT-011 idle_agent: raised without a call, once per idle period; resolved with the next call; not for archived or paused agents", async () => {
    const lab = await openLab(engine);
    const watch = await lab.newWatch();
    await lab.add({ agent_key: "quiet" }, { agent_key: "paused" }, { agent_key: "archived" });
    const setting = { org_id: lab.orgId, mode: "live", name: null, metadata: "{}", updated_at: 1 };
    await lab.db
      .insertInto("agent_settings")
      .values([
        { ...setting, agent_id: lab.agentId("paused"), agent_key: "paused", archived_at: null, paused_at: 1 },
        {
          ...setting,
          agent_id: lab.agentId("archived"),
          agent_key: "archived",
          archived_at: 1,
          paused_at: null,
        },
      ])
      .execute();
    lab.clock.advance(DAY - 1);
    await look(watch);
    expect(await lab.alerts({ type: "idle_agent" })).toEqual([]);
    lab.clock.advance(1);
    await look(watch);
    lab.clock.advance(DAY);
    await look(watch);
    expect(await lab.alerts({ type: "idle_agent" })).toMatchObject([
      {
        type: "idle_agent",
        severity: "info",
        agent_id: lab.agentId("quiet"),
        resolved_at: null,
        metadata: { agent_key: "quiet", idle_hours: 24 },
      },
    ]);
    await lab.add({ agent_key: "quiet" });
    await look(watch);
    expect(await lab.alerts({ type: "idle_agent" })).toMatchObject([{ resolved_at: lab.clock.now() }]);
    lab.clock.advance(DAY);
    await look(watch);
    await lab.db.updateTable("agent_settings").set({ paused_at: null }).execute();
    await look(watch);
    expect((await lab.alerts({ type: "idle_agent" })).map(alert => alert.metadata.agent_key)).toEqual([
      "quiet",
      "quiet",
      "paused",
    ]);
  });

  it("ALERT-011 idle_agent: no agent is evaluated during an import, and idle ones are reported after it", async () => {
    const lab = await openLab(engine);
    const watch = await lab.newWatch();
    const imported = (agent_key: string, ageMs: number) =>
      lab.add({ agent_key, source: "ingest", created_at: lab.clock.now() - ageMs });
    await imported("busy", 14 * DAY);
    await imported("silent", 14 * DAY);
    await look(watch);
    lab.clock.advance(9 * MINUTE);
    // The next batch renews the wait, but only for its own agents.
    await imported("busy", 7 * DAY);
    await look(watch);
    lab.clock.advance(9 * MINUTE);
    await look(watch);
    const idle = async () =>
      (await lab.alerts({ type: "idle_agent" })).map(({ metadata, resolved_at }) => [
        metadata.agent_key,
        resolved_at,
      ]);
    expect(await idle()).toEqual([["silent", null]]);
    await imported("busy", 0);
    await look(watch);
    lab.clock.advance(HOUR);
    await look(watch);
    expect(await idle()).toEqual([["silent", null]]);
    // A call from before its silence changes nothing.
    await imported("silent", 20 * DAY);
    await look(watch);
    lab.clock.advance(HOUR);
    await look(watch);
    expect(await idle()).toEqual([["silent", null]]);
  });

  it("ALERT-011 idle_agent: the same after a restart of the control plane during the import", async () => {
    const lab = await openLab(engine);
    await lab.add({ agent_key: "busy", source: "otlp", created_at: lab.clock.now() - 14 * DAY });
    await look(await lab.newWatch());
    const restarted = await lab.newWatch();
    await look(restarted);
    expect(await lab.alerts({ type: "idle_agent" })).toEqual([]);
    lab.clock.advance(10 * MINUTE);
    await look(restarted);
    expect(await lab.alerts({ type: "idle_agent" })).toMatchObject([{ metadata: { agent_key: "busy" } }]);
  });

  it("ALERT-014 reports nothing of disabled types, and current conditions once they are enabled", async () => {
    const lab = await openLab(engine);
    await lab.prefer(known => ({
      cost_spike: { ...known.cost_spike, enabled: false },
      error_rate: { ...known.error_rate, enabled: false },
      usage_spike: { ...known.usage_spike, enabled: false },
      idle_agent: { ...known.idle_agent, enabled: false },
    }));
    const watch = await lab.newWatch();
    for (const day of ["11", "12", "13"]) {
      await lab.add({ ...costing(100), ...at(`2026-11-${day}T12:00:00Z`), agent_key: "quiet" });
    }
    await lab.add(...times(50, { ...failed, ...costing(100) }));
    await look(watch);
    expect(await lab.alerts()).toEqual([]);
    await lab.prefer(() => ({}));
    await look(watch);
    expect((await lab.alerts()).map(alert => alert.type).sort()).toEqual([
      "cost_spike",
      "error_rate",
      "idle_agent",
      "usage_spike",
    ]);
  });

  it("ALERT-013 test traffic has its own alerts", async () => {
    const lab = await openLab(engine);
    const watch = await lab.newWatch();
    await lab.add(...times(20, { ...failed, mode: "test" as const }), ...times(20, {}));
    await look(watch);
    expect(await lab.alerts()).toEqual([]);
    expect(await lab.alerts({ mode: "test" })).toMatchObject([
      { type: "error_rate", metadata: { calls: 20 } },
    ]);
  });
});
