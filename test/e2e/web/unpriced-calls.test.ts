import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { microcents, ZERO_MICROCENTS } from "@tollgate/core/money/money";
import { watch } from "../../support/clients/watch.ts";
import { systemEngines } from "../../support/full-size.ts";
import { controlDatabases } from "../../support/labs/control-databases.ts";
import { type ControlLab, startControlLab } from "../../support/labs/control-lab.ts";
import { adjust } from "../../support/labs/read-model-lab.ts";
import { openToolClient } from "../../support/labs/tool-clients.ts";
import { eventually } from "../../support/waiting/eventually.ts";

const databases = controlDatabases();
const unpriced = {
  model: "nobody-knows",
  cost_basis: "unpriced",
  cost_microcents: ZERO_MICROCENTS,
  price_version: null,
} as const;
const subjects = { agent_key: "writer", session_id: "s", customer_id: "c", config_version: "v" };

describe.each(systemEngines)("calls without a known price, on %s", engine => {
  let lab: ControlLab;
  beforeAll(async () => {
    lab = await startControlLab(await databases.place(engine));
  });
  afterAll(() => lab.stop());

  /** One call of 700 microcents and two of unknown price; a third one was rerated to 50. */
  async function organization() {
    const org = await lab.organization();
    const budget = await org.client.call("budgets.create", {
      period: "daily",
      limit_microcents: 700,
      enforcement_mode: "alert_only",
    });
    const ofAgent = { ...subjects, created_at: lab.clock.now() };
    const [, , rerated] = await org.addEvents(
      { ...ofAgent, ...unpriced },
      { ...ofAgent, ...unpriced },
      { ...ofAgent, ...unpriced },
    );
    lab.clock.advance(1);
    // Before the call that reaches the limit: an alert reports the calls that were counted when it was raised.
    await eventually("the unpriced calls are counted", async () => {
      const { sessions } = await org.client.call("sessions.list");
      return sessions[0]?.unpriced_calls === 3;
    });
    await org.addEvents({ ...ofAgent, cost_microcents: microcents(700) });
    if (rerated === undefined) throw new Error("no event was added");
    await adjust(lab.database, rerated, 50);
    lab.clock.advance(1);
    await eventually("the rerating is counted", async () => {
      const { sessions } = await org.client.call("sessions.list");
      return sessions[0]?.cost_microcents === 750;
    });
    return { ...org, budget, agent: org.agentId("writer") };
  }

  it("MON-012 MON-021 are counted next to every sum of the web API, until rerated", async () => {
    const { client, agent, budget } = await organization();
    const whole = { cost_microcents: 750, unpriced_calls: 2 };
    const unknown = { model: "nobody-knows", cost_microcents: 50, unpriced_calls: 2 };
    const known = { model: "gpt-4o-mini", cost_microcents: 700, unpriced_calls: 0 };
    for (const query of [{}, { agent_id: agent }]) {
      const analytics = await client.call("analytics.get", query);
      expect(analytics.summary).toMatchObject({ total_cost_microcents: 750, unpriced_calls: 2 });
      expect(analytics.by_model).toMatchObject([known, unknown]);
      expect(analytics.trend.at(-1)).toMatchObject(whole);
    }
    const metrics = await client.call("agents.metrics", { id: agent, group_by: "month" });
    expect(metrics.totals).toMatchObject(whole);
    expect(metrics.by_model).toMatchObject([known, unknown]);
    expect(metrics.by_day.at(-1)).toMatchObject(whole);

    const dashboard = await client.call("dashboard.get");
    expect(dashboard.cost).toMatchObject({ total_cost_microcents: 750, unpriced_calls: 2 });
    expect(dashboard.agents_list).toMatchObject([whole]);
    expect(dashboard.top_models).toMatchObject([known, unknown]);
    expect(dashboard.trend.at(-1)).toMatchObject(whole);

    expect(await client.call("sessions.get", { id: "s" })).toMatchObject(whole);
    expect((await client.call("sessions.list")).sessions).toMatchObject([whole]);
    expect((await client.call("customers.list")).customers).toMatchObject([whole]);
    const customer = await client.call("customers.get", { id: "c" });
    expect(customer).toMatchObject(whole);
    expect(customer.by_day.at(-1)).toMatchObject(whole);
    expect((await client.call("config_versions.list")).config_versions).toMatchObject([whole]);

    const roi = await client.call("agents.roi", { id: agent });
    expect(roi.costs).toMatchObject({ total_microcents: 750, unpriced_calls: 2, by_model: [known, unknown] });
    // Of the two with a known cost: an unknown cost is not 0.
    expect(roi.costs.avg_per_request_microcents).toBe(375);
    const audit = await client.call("roi_audit.get", {});
    expect(audit.fleet_summary).toMatchObject({ total_cost_microcents: 750, unpriced_calls: 2 });
    expect(audit.agents).toMatchObject([whole]);
    expect(audit.caveats.join()).toContain("2 calls have no known price");
    expect((await client.call("upgrade_justification.get", {})).usage).toMatchObject(whole);

    // A budget counts what the gateway recorded; a rerating does not change it.
    const spent = { current_spending_microcents: 700, unpriced_calls: 2 };
    const status = await client.call("budgets.status");
    expect(status).toMatchObject({ total_spending_microcents: 750, unpriced_calls: 2, budgets: [spent] });
    expect(await client.call("budgets.get", { id: budget.id })).toMatchObject(spent);
    await client.call("budgets.update", { id: budget.id, paused: true });
    const reset = await client.call("budgets.resume", { id: budget.id, reset_spending: true });
    expect(reset).toMatchObject({ current_spending_microcents: 0, unpriced_calls: 0 });
  });

  it("MON-012 MON-021 are marked in lists, and have no amount in the export", async () => {
    const { client } = await organization();
    const { events } = await client.call("events.list");
    const shown = events.map(({ cost_basis, is_unpriced }) => `${cost_basis} ${is_unpriced}`);
    expect(shown.toSorted()).toEqual(["priced false", "unpriced false", "unpriced true", "unpriced true"]);
    for (const { id, is_unpriced } of events) {
      expect((await client.call("events.get", { id })).is_unpriced).toBe(is_unpriced);
    }
    const lines = (await (await client.call("events.export", {})).text()).trimEnd().split("\r\n");
    const [head = [], ...rows] = lines.map(line => line.split(","));
    const cells = rows.map(row =>
      ["cost_microcents", "adjustment_microcents", "cost_basis", "is_unpriced"].map(
        name => row[head.indexOf(name)] ?? "no such column",
      ),
    );
    expect(cells.toSorted()).toEqual([
      ["", "", "unpriced", "true"],
      ["", "", "unpriced", "true"],
      ["", "50", "unpriced", "false"],
      ["700", "0", "priced", "false"],
    ]);
  });

  it("MON-021 are counted in the live totals and the topology, initially and as they arrive", async () => {
    const { readKey, addEvents } = await organization();
    const watching = await watch(lab.url, { key: readKey });
    await watching.subscribe(["totals", "topology"]);
    const told = (calls: number) => () => {
      const totals = watching.of("totals").at(-1)?.data;
      const node = watching.of("topology").at(-1)?.data.nodes[0];
      return [totals?.today, totals?.month, totals?.last_30_days, node].every(
        sums => sums?.unpriced_calls === calls,
      );
    };
    await eventually("the seed is told", told(2));
    await addEvents({ ...subjects, ...unpriced });
    await eventually("the new call is told", told(3));
    await watching.close();
  });

  it("MON-021 are mentioned in an alert about spending", async () => {
    const { client } = await organization();
    await eventually("the alert is there", async () => (await client.call("alerts.list")).alerts.length > 0);
    const { alerts } = await client.call("alerts.list");
    // It may have been raised before the third one was rerated.
    expect(alerts[0]?.message).toMatch(/has reached its limit \(100% used\) \(\+ [23] unpriced calls\)$/);
    expect([2, 3]).toContain(Number(alerts[0]?.metadata.unpriced_calls));
  });

  it("MON-012 MON-021 are in the text and structured answers of tools", async () => {
    const { liveKey, agent, budget } = await organization();
    const toolClient = await openToolClient("hosted, new client", lab.url, liveKey);
    for (const [tool, args, times] of [
      // The total, the agent and the model.
      ["svc_get_cost_summary", {}, 3],
      ["svc_get_agent_detail", { agent_id: agent }, 2],
      ["svc_get_task_roi", { agent_id: agent }, 2],
      ["svc_generate_roi_audit", {}, 2],
      ["svc_get_upgrade_justification", {}, 1],
      ["svc_update_budget_mode", { budget_id: budget.id }, 1],
      ["svc_set_budget", { period: "daily", limit_dollars: 0.00007 }, 1],
      ["svc_get_budget_status", {}, 2],
    ] as const) {
      const { text, structured } = await toolClient.call(tool, args);
      expect([tool, text.split("(+ 2 unpriced calls)").length - 1]).toEqual([tool, times]);
      expect(JSON.stringify(structured).split('"unpriced_calls":2').length - 1).toBeGreaterThanOrEqual(times);
    }
    await toolClient.close();
  });
});
