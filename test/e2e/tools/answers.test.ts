import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { expectIsoTimes } from "../../support/expect-iso-times.ts";
import { type ControlLab, startControlLab } from "../../support/labs/control-lab.ts";
import { fillOrganization } from "../../support/labs/fill-organization.ts";
import { openToolClient, record, type ToolClient, toolClientKinds } from "../../support/labs/tool-clients.ts";
import { eventually } from "../../support/waiting/eventually.ts";

let lab: ControlLab;
let org: Awaited<ReturnType<typeof fillOrganization>>;
const toolClients: ToolClient[] = [];

beforeAll(async () => {
  lab = await startControlLab();
  org = await fillOrganization(lab);
  const at = lab.clock.now() - 3600_000;
  await org.addEvents(
    ...Array.from({ length: 30 }, (_, index) => ({
      agent_key: index % 3 === 0 ? "writer" : "reader",
      session_id: `run-${index % 5}`,
      created_at: at + index * 1000,
      latency_ms: 100 + index,
      ...(index % 10 === 9 ? { status: "error" as const, http_status: 500 } : {}),
    })),
  );
  await org.client.call("agents.update", { id: org.agentId("writer"), metadata: { category: "text" } });
  for (const outcome of [
    { outcome_type: "revenue", value_cents: 2234 },
    { outcome_type: "revenue", value_cents: -1000 },
    { outcome_type: "revenue", value_cents: 5000, success: false },
    { outcome_type: "cost_saving", value_cents: 7000 },
    { value_cents: 33 },
  ]) {
    await org.client.call("outcomes.create", {
      name: "sale",
      agent_id: org.agentId("writer"),
      source: "payments",
      ...outcome,
    });
  }
  await eventually("the profile has followed", async () => {
    const { insufficient_data } = await org.client.call("suggestions.list", {});
    return insufficient_data.some(
      one => one.agent_id === org.agentId("writer") && one.reason.startsWith("10 calls"),
    );
  });
  // It is resolved by itself, which must not happen between two clients.
  await eventually("the sample alert is over", async () => {
    const { alerts } = await org.client.call("alerts.list");
    return alerts.find(({ id }) => id === org.ids.alert)?.resolved_at !== null;
  });
  for (const kind of toolClientKinds) toolClients.push(await openToolClient(kind, lab.url, org.liveKey));
});
afterAll(async () => {
  for (const toolClient of toolClients) await toolClient.close();
  await lab.stop();
});

/** Predictions are evaluated every five minutes: that must not happen between two clients. */
async function nextLook(): Promise<void> {
  lab.clock.advance(5 * 60_000);
  await eventually("the predictions were looked at", async () => {
    const { computed_at } = await org.client.call("predictions.list", {});
    return computed_at !== null && Date.parse(computed_at) >= lab.clock.now();
  });
}

/** The same answer through every client, checked once. */
async function answer(tool: string, args: Record<string, unknown> = {}) {
  lab.clock.advance(60_000);
  if (tool === "svc_get_failure_predictions") await nextLook();
  const results = [];
  for (const toolClient of toolClients) results.push(await toolClient.call(tool, args));
  const [first] = results;
  if (first === undefined) throw new Error("there is no client");
  expect([tool, first.isError, first.isError ? first.text : ""]).toEqual([tool, false, ""]);
  for (const result of results) expect(result).toEqual(first);
  return first;
}

const plain = (value: unknown): Record<string, unknown> => JSON.parse(JSON.stringify(value));

it("TOOL-011 WEB-015 every reading tool answers text and structured content of its declared schema, the same over both entry points", async () => {
  const agent_id = org.agentId("writer");
  for (const [tool, args] of [
    ["svc_get_cost_summary", {}],
    ["svc_list_agents", {}],
    ["svc_get_agent_detail", { agent_id }],
    ["svc_get_optimization_recommendations", {}],
    ["svc_route_model", { agent_id, task_complexity: "low" }],
    ["svc_compare_models", { tier: "budget", current_model: "gpt-4o" }],
    ["svc_get_budget_status", {}],
    ["svc_get_alerts", {}],
    ["svc_get_failure_predictions", {}],
    ["svc_get_experiment_results", {}],
    ["svc_run_cost_leak_scan", {}],
    ["svc_get_task_roi", { agent_id }],
    ["svc_get_attribution_report", {}],
    ["svc_generate_roi_audit", {}],
    ["svc_get_upgrade_justification", {}],
  ] as const) {
    const { text, structured } = await answer(tool, args);
    expect(text.length).toBeGreaterThan(10);
    expect(text.length).toBeLessThan(8000);
    // The official clients have validated it against the tool's declared schema.
    expect(Object.keys(structured).length).toBeGreaterThan(0);
    expectIsoTimes(tool, structured);
  }
});

describe("dashboard", () => {
  it("TOOL-015 the cost summary has the web API's spend, calls, errors and agents, and the recorded revenue", async () => {
    const { text, structured } = await answer("svc_get_cost_summary", { days: 30 });
    const board = await org.client.call("dashboard.get", { days: 30 });
    expect(structured.cost).toEqual(plain(board.cost));
    expect(structured.agents).toEqual(plain(board.agents));
    expect(structured.attribution).toEqual(plain(board.attribution));
    expect(structured.optimization).toEqual(plain(board.optimization));
    expect(board.cost).toMatchObject({ total_calls: 31, error_calls: 3 });
    expect(board.attribution.total_revenue_cents).toBe(1234);
    const list = structured.agents_list as { id: string; cost_microcents: number; call_count: number }[];
    expect(list.map(({ call_count }) => call_count)).toEqual([20, 10, 1]);
    for (const one of list) {
      const same = board.agents_list.find(({ id }) => id === one.id);
      expect(one).toMatchObject({
        cost_microcents: same?.cost_microcents ?? -1,
        call_count: same?.call_count ?? -1,
      });
    }
    for (const words of [
      "31 calls",
      "Revenue: $12.34 from 2 outcomes, other value $70.33, 1 failed;",
      "Possible savings",
    ])
      expect(text).toContain(words);
  });

  it("LIM-017 clamps the period to the tier's history and states it", async () => {
    const starter = await lab.organization("starter");
    const now = lab.clock.now();
    await starter.addEvents({ created_at: now - 1 }, { created_at: now - 20 * 86_400_000 });
    const toolClient = await openToolClient("hosted, old client", lab.url, starter.liveKey);
    const { structured } = await toolClient.call("svc_get_cost_summary", { days: 90 });
    expect(structured).toMatchObject({ period_days: 7, cost: { total_calls: 1 } });
    const agent_id = starter.agentId("default");
    for (const [tool, args] of [
      ["svc_get_task_roi", { agent_id, days: 365 }],
      ["svc_get_attribution_report", { days: 365 }],
      ["svc_generate_roi_audit", { days: 365 }],
      ["svc_get_upgrade_justification", { days: 90 }],
    ] as const) {
      const { structured: answered } = await toolClient.call(tool, args);
      expect([tool, answered.period_days]).toEqual([tool, 7]);
    }
    await toolClient.close();
  });

  it("rounds a partial day up to a whole one", async () => {
    expect((await answer("svc_get_cost_summary", { days: 1.5 })).structured.period_days).toBe(2);
  });

  it("TOOL-016 status and category each filter the agents; TOOL-061 the category is metadata.category", async () => {
    const ids = async (args: Record<string, unknown>) =>
      ((await answer("svc_list_agents", args)).structured.agents as { id: string }[]).map(({ id }) => id);
    expect(await ids({})).toHaveLength(3);
    expect(await ids({ category: "text" })).toEqual([org.agentId("writer")]);
    expect(await ids({ category: "none" })).toEqual([]);
    expect(await ids({ status: "active" })).toHaveLength(3);
    expect(await ids({ status: "archived" })).toEqual([]);
    expect(await ids({ status: "active", category: "text" })).toEqual([org.agentId("writer")]);
  });

  it("TOOL-017 the detail of an agent is the web API's; an unknown one is 404", async () => {
    const id = org.agentId("writer");
    const { structured } = await answer("svc_get_agent_detail", { agent_id: id });
    expect(structured.agent).toEqual(plain(await org.client.call("agents.get", { id })));
    expect(record(record(structured.last_30_days).totals)).toMatchObject({ call_count: 10 });
    for (const toolClient of toolClients) {
      const unknown = await toolClient.call("svc_get_agent_detail", { agent_id: crypto.randomUUID() });
      expect(unknown).toMatchObject({ isError: true, facts: { status: 404 } });
    }
  });

  it("accepts an id in upper case", async () => {
    const id = org.agentId("writer");
    const { structured } = await answer("svc_get_agent_detail", { agent_id: id.toUpperCase() });
    expect(record(structured.agent).id).toBe(id);
  });
});

describe("answers are the web API's", () => {
  it("TOOL-022 budget status", async () => {
    const { structured } = await answer("svc_get_budget_status");
    expect(structured).toEqual(plain(await org.client.call("budgets.status")));
  });

  it("TOOL-018 OPT-003 recommendations", async () => {
    for (const include_revenue of [true, false]) {
      const { structured } = await answer("svc_get_optimization_recommendations", { include_revenue });
      expect(structured).toEqual(plain(await org.client.call("suggestions.list", { include_revenue })));
    }
  });

  it("TOOL-020 routing and TOOL-021 comparison", async () => {
    const id = org.agentId("writer");
    const routed = await answer("svc_route_model", { agent_id: id, task_complexity: "high" });
    expect(routed.structured).toEqual(
      plain(await org.client.call("agents.route", { id, task_complexity: "high" })),
    );
    const compared = await answer("svc_compare_models", { tier: "budget", provider: "openai" });
    expect(compared.structured).toEqual(
      plain(await org.client.call("models.compare", { tier: "budget", provider: "openai" })),
    );
  });

  it("TOOL-034 OPT-003 the leak scan, as text and as JSON", async () => {
    const asText = await answer("svc_run_cost_leak_scan");
    expect(asText.structured).toEqual(plain(await org.client.call("cost_leak_scan.run", {})));
    expect(asText.text).toContain("Health score");
    const asJson = await answer("svc_run_cost_leak_scan", {
      output_format: "json",
      include_low_severity: true,
    });
    expect(JSON.parse(asJson.text)).toEqual(asJson.structured);
    expect(asJson.structured).toEqual(
      plain(await org.client.call("cost_leak_scan.run", { include_low_severity: true })),
    );
  });

  it("TOOL-037 ROI, TOOL-038 attribution, TOOL-040 the audit, TOOL-041 the upgrade justification", async () => {
    const id = org.agentId("writer");
    const roi = await answer("svc_get_task_roi", { agent_id: id, days: 7 });
    expect(roi.structured).toMatchObject({
      outcomes: { revenue_cents: 1234, total_value_cents: 8267 },
      costs: { call_count: 10 },
    });
    expect(roi.structured).toEqual(plain(await org.client.call("agents.roi", { id, days: 7 })));
    for (const model of ["direct", "last_touch", "first_touch"] as const) {
      const report = await answer("svc_get_attribution_report", { model, days: 7 });
      expect(report.structured).toEqual(plain(await org.client.call("attribution.get", { model, days: 7 })));
    }
    const audit = await answer("svc_generate_roi_audit", { agent_ids: [id], include_methodology: false });
    expect(audit.structured).toMatchObject({
      methodology: null,
      agents: [{ agent_id: id, revenue_cents: 1234, value_cents: 8267 }],
    });
    expect((audit.structured.agents as unknown[]).length).toBe(1);
    const upgrade = await answer("svc_get_upgrade_justification", { days: 7 });
    expect(upgrade.structured).toEqual(
      plain(await org.client.call("upgrade_justification.get", { days: 7 })),
    );
  });

  it("ALERT-020 an alert is named by its kind if its type is only an approximation", async () => {
    const id = crypto.randomUUID();
    const alert = {
      id,
      org_id: org.id,
      mode: "live",
      alert_key: id,
      type: "error_rate",
      severity: "warning",
      message:
        "The slowest 1% of the 20 calls in the hour up to 2026-11-15 08:30:00 UTC took 900 ms or longer",
      metadata: '{"kind":"latency_p99"}',
      agent_id: null,
      triggered_at: lab.clock.now(),
      read_at: null,
    };
    await lab.db.insertInto("alerts").values(alert).execute();
    const { text, structured } = await answer("svc_get_alerts");
    expect(text).toContain(`${id}: warning "latency_p99" (type error_rate) at`);
    expect(structured.alerts).toContainEqual(
      expect.objectContaining({ id, type: "error_rate", metadata: { kind: "latency_p99" } }),
    );
  });

  it("TOOL-032 experiments", async () => {
    const { structured } = await answer("svc_get_experiment_results");
    expect(structured).toEqual(plain(await org.client.call("experiments.list", {})));
  });
});
