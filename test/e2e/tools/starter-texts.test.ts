import { afterAll, beforeAll, expect, it } from "bun:test";
import type { Event } from "@tollgate/core/event";
import { prompts } from "@tollgate/tools/prompts";
import { surfaces } from "@tollgate/tools/surfaces";
import { type ControlLab, startControlLab } from "../../support/labs/control-lab.ts";
import { openToolClient } from "../../support/labs/tool-clients.ts";
import { eventually } from "../../support/waiting/eventually.ts";

let lab: ControlLab;
beforeAll(async () => {
  lab = await startControlLab();
});
afterAll(() => lab.stop());

/** What Starter cannot use: the tools and endpoints of LIM-011. */
const refused =
  /svc_get_optimization_recommendations|svc_run_cost_leak_scan|\/api\/(suggestions|cost-leak-scan|alerts\/preferences|alerts\/test)/;
const gatedTools = ["svc_get_optimization_recommendations", "svc_run_cost_leak_scan"];

it("no tool answer refers a Starter organization to something that its tier excludes", async () => {
  const org = await lab.organization("starter");
  await org.addEvents(
    ...Array.from({ length: 40 }, () => ({
      agent_key: "wasteful",
      model: "gpt-4o",
      requested_model: "gpt-4o",
      usage: { input: 1000, output: 50 },
      cost_microcents: 30_000 as Event["cost_microcents"],
    })),
  );
  lab.clock.advance(1);
  await eventually("there is something to suggest", async () => {
    const { optimization } = await org.client.call("dashboard.get", {});
    return optimization.suggestion_count > 0 && !optimization.suggestions_included;
  });
  const agent_id = org.agentId("wasteful");
  const calls: [string, Record<string, unknown>][] = [
    ["svc_get_cost_summary", {}],
    ["svc_list_agents", {}],
    ["svc_get_agent_detail", { agent_id }],
    ["svc_get_optimization_recommendations", {}],
    ["svc_apply_optimization", { agent_id, optimization_type: "batching" }],
    ["svc_apply_optimization", { agent_id, optimization_type: "prompt_caching" }],
    ["svc_apply_optimization", { agent_id, optimization_type: "model_switch" }],
    ["svc_route_model", { agent_id, task_complexity: "low" }],
    ["svc_compare_models", {}],
    ["svc_get_budget_status", {}],
    ["svc_set_budget", { period: "daily", limit_dollars: 1 }],
    ["svc_set_budget", { period: "monthly", limit_dollars: 1 }],
    ["svc_get_alerts", { unread_only: false }],
    ["svc_get_failure_predictions", {}],
    ["svc_get_experiment_results", {}],
    ["svc_run_cost_leak_scan", {}],
    ["svc_get_task_roi", { agent_id }],
    ["svc_get_attribution_report", {}],
    ["svc_configure_alert_threshold", { metric: "daily_cost", threshold_value: 1, action: "email" }],
    ["svc_generate_roi_audit", {}],
    ["svc_get_upgrade_justification", {}],
  ];
  const toolClient = await openToolClient("hosted, new client", lab.url, org.liveKey);
  try {
    const summary = await toolClient.call("svc_get_cost_summary", {});
    expect(summary.text).toContain("listed in detail in the Lite tier and above");
    for (const [tool, args] of calls) {
      const { text, facts } = await toolClient.call(tool, args);
      expect([tool, refused.exec(text)]).toEqual([tool, null]);
      if (gatedTools.includes(tool)) expect([tool, facts.status]).toEqual([tool, 402]);
    }
  } finally {
    await toolClient.close();
  }
});

it("a description or prompt that names a gated tool names the tier that includes it", () => {
  const texts = [
    ...surfaces.hosted.map(tool => [tool.name, tool.description] as const),
    ...prompts.map(prompt => [prompt.name, prompt.text({})] as const),
  ];
  const naming = texts.filter(([, text]) => refused.test(text));
  expect(naming.length).toBeGreaterThan(5);
  for (const [name, text] of naming)
    expect([name, text.includes("Lite tier and above")]).toEqual([name, true]);
});
