import { describe, expect, it } from "bun:test";
import { sql } from "kysely";
import { systemEngines } from "../../support/full-size.ts";
import { alertLab, costing, failed, HOUR, look, MINUTE, times } from "../../support/labs/alert-lab.ts";

const openLab = alertLab();

describe.each(systemEngines)("the alert watch, restarted on %s", engine => {
  it("ALERT-013 REL-007 raises nothing twice and misses nothing, wherever it was stopped", async () => {
    const lab = await openLab(engine);
    await lab.setThreshold("daily_cost", 1);
    await lab.setThreshold("latency_p99", 5000);
    const first = await lab.newWatch();
    // Stopped before it saw any of this.
    await look(first);
    await lab.add(...times(30, { ...failed, ...costing(10_000), latency_ms: 6000 }));
    // Stopped after the alerts and before the cursor, which a tick would have written.
    await (await lab.newWatch()).catchUp();
    const told = await lab.alerts();
    expect(told.map(alert => alert.metadata.kind ?? alert.type).sort()).toEqual([
      "daily_cost",
      "error_rate",
      "latency_p99",
    ]);
    await look(await lab.newWatch());
    await look(await lab.newWatch());
    await look(first);
    expect(await lab.alerts()).toEqual(told);
  });

  it("ALERT-013 counts the hour before its start, and no call twice", async () => {
    const lab = await openLab(engine);
    const first = await lab.newWatch();
    await lab.add(...times(9, failed));
    await look(first);
    lab.clock.advance(30 * MINUTE);
    await lab.add(...times(10, {}));
    await first.catchUp();
    // The cursor is before the ten calls, so they are read again.
    const second = await lab.newWatch();
    await look(second);
    expect(await lab.alerts()).toEqual([]);
    await lab.add(failed);
    await look(second);
    expect(await lab.alerts()).toMatchObject([{ metadata: { calls: 20, errors: 10 } }]);
  });

  it("ALERT-013 a threshold crossed while it was down is raised for the hour it was crossed in, and resolved", async () => {
    const lab = await openLab(engine);
    await look(await lab.newWatch());
    await lab.add(...times(25, failed));
    lab.clock.advance(5 * HOUR);
    await look(await lab.newWatch());
    expect(await lab.alerts({ type: "error_rate" })).toMatchObject([
      { alert_key: "error_rate:2026-11-15T12", resolved_at: lab.clock.now() },
    ]);
  });

  it("ALERT-013 ALERT-014 the same after a backlog of many batches: a past hour is evaluated as it was", async () => {
    const lab = await openLab(engine);
    await look(await lab.newWatch());
    await lab.add(...times(6000, {}));
    lab.clock.advance(90 * MINUTE);
    await lab.add(...times(25, failed));
    lab.clock.advance(5 * HOUR);
    await look(await lab.newWatch());
    expect(await lab.alerts({ type: "error_rate" })).toMatchObject([
      { alert_key: "error_rate:2026-11-15T13", resolved_at: lab.clock.now() },
    ]);
  });

  it("ALERT-011 ALERT-013 a failed check for idle agents is retried, even without further calls", async () => {
    const lab = await openLab(engine);
    await lab.add({ agent_key: "quiet" });
    const watch = await lab.newWatch();
    await look(watch);
    lab.clock.advance(25 * HOUR);
    await sql`ALTER TABLE agents RENAME TO agents_elsewhere`.execute(lab.db);
    await watch.tick().catch(() => {});
    await sql`ALTER TABLE agents_elsewhere RENAME TO agents`.execute(lab.db);
    await watch.tick();
    expect(await lab.alerts({ type: "idle_agent" })).toMatchObject([{ agent_id: lab.agentId("quiet") }]);
    // The next call resolves it.
    await lab.add({ agent_key: "quiet" });
    await look(watch);
    expect(await lab.alerts({ type: "idle_agent" })).toMatchObject([{ resolved_at: lab.clock.now() }]);
  });

  it("REL-007 an organization whose writes fail is skipped after a few retries; others get their alerts", async () => {
    const lab = await openLab(engine);
    const watch = await lab.newWatch();
    // The ledger knows it, but the control plane's database does not.
    await lab.add(...times(30, { ...failed, org_id: "gone" }), ...times(30, failed));
    let faults = 0;
    for (let turn = 0; turn < 5; turn++) await look(watch).catch(() => faults++);
    expect(faults).toBe(2);
    expect(await lab.alerts()).toMatchObject([{ org_id: lab.orgId, type: "error_rate" }]);
    expect(lab.logged).toEqual(["could not evaluate an organization's alerts; skipping them for now"]);
  });

  it("ALERT-013 many concurrent watches raise an alert once, and pause once", async () => {
    const lab = await openLab(engine);
    await lab.add({ agent_key: "mine" });
    await lab.setThreshold("error_rate", 0.5, "pause_agent", "mine");
    const watches = await Promise.all(times(4, null).map(() => lab.newWatch()));
    await lab.add(...times(40, { ...failed, agent_key: "mine" }));
    await Promise.all(watches.map(look));
    await Promise.all(watches.map(look));
    expect((await lab.alerts()).map(alert => alert.rule_key.split(":")[0]).sort()).toEqual([
      "error_rate",
      "threshold",
    ]);
    expect(await lab.pausedAgents()).toEqual(["mine"]);
  });
});
