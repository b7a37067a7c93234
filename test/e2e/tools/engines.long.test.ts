import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import type { Event } from "@tollgate/core/event";
import { sharedTools } from "@tollgate/tools/catalog";
import { refusal } from "../../support/clients/refusal.ts";
import { expectIsoTimes } from "../../support/expect-iso-times.ts";
import { type ControlLab, startControlLab } from "../../support/labs/control-lab.ts";
import { fillOrganization } from "../../support/labs/fill-organization.ts";
import {
  openToolClient,
  record,
  type ToolClient,
  type ToolClientKind,
} from "../../support/labs/tool-clients.ts";
import { eventually } from "../../support/waiting/eventually.ts";

let lab: ControlLab;
beforeAll(async () => {
  lab = await startControlLab();
});
afterAll(() => lab.stop());

const kinds: readonly ToolClientKind[] = ["stdio, new client", "hosted, new client"];

/** Ten days of an agent that pays for a large model for short answers. */
function wastefulCalls(): Partial<Event>[] {
  const now = lab.clock.now();
  return Array.from({ length: 200 }, (_, index) => ({
    agent_key: "spender",
    model: "gpt-4o",
    requested_model: "gpt-4o",
    usage: { input: 900, output: 40 },
    request_hash: `hash-${index}`,
    created_at: now - 3600_000 - index * 4_000_000,
  }));
}

async function organizationWithWaste() {
  const org = await lab.organization();
  await org.addEvents(...wastefulCalls());
  return { ...org, agent: org.agentId("spender") };
}

async function answered(toolClient: ToolClient, tool: string, args: Record<string, unknown> = {}) {
  const result = await toolClient.call(tool, args);
  expect([tool, result.isError, result.isError ? result.text : ""]).toEqual([tool, false, ""]);
  return result;
}

it("TOOL-011 WEB-015 every changing tool answers text and structured content of its declared schema, the same over both entry points", async () => {
  const seen: Record<string, unknown>[] = [];
  for (const kind of kinds) {
    const org = await fillOrganization(lab);
    const { ids } = org;
    await org.addEvents(...wastefulCalls());
    const agent_id = org.agentId("spender");
    await eventually("a switch is suggested", async () => {
      const { suggestions } = await org.client.call("suggestions.list", { agent_id });
      return suggestions.some(one => one.type === "model_switch");
    });
    const toolClient = await openToolClient(kind, lab.url, org.liveKey);
    const answers: Record<string, unknown> = {};
    let experiment_id = "";
    for (const [tool, args] of [
      ["svc_apply_optimization", { agent_id, optimization_type: "model_switch" }],
      ["svc_set_budget", { period: "monthly", limit_dollars: 5 }],
      ["svc_update_budget_mode", { budget_id: ids.budget, paused: true }],
      ["svc_acknowledge_alert", { alert_ids: [ids.alert] }],
      ["svc_create_model_experiment", { agent_id: ids.agent, name: "x", treatment_model: "gpt-4.1-nano" }],
      ["svc_stop_experiment", {}],
      ["svc_attribute_task", { agent_id, outcome_type: "revenue", outcome_source: "crm", value_cents: 5 }],
      ["svc_configure_alert_threshold", { metric: "daily_cost", threshold_value: 1, action: "email" }],
    ] as const) {
      const given = tool === "svc_stop_experiment" ? { experiment_id } : args;
      const { text, structured } = await answered(toolClient, tool, given);
      if (tool === "svc_create_model_experiment") experiment_id = String(structured.id);
      expect([tool, text.length > 10, Object.keys(structured).length > 0]).toEqual([tool, true, true]);
      expectIsoTimes(tool, structured);
      answers[tool] = withoutIds([text, structured], org.id);
    }
    await toolClient.close();
    expect(Object.keys(answers).sort()).toEqual(
      sharedTools.flatMap(({ name, annotations }) => (annotations.readOnlyHint ? [] : [name])).sort(),
    );
    seen.push(answers);
  }
  expect(seen[1]).toEqual(seen[0]);
});

/** Ids are random, and agents are named after their organization. */
function withoutIds(value: unknown, orgId: string): unknown {
  const text = JSON.stringify(value).replaceAll(orgId, "<org>");
  return JSON.parse(text.replaceAll(/[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/g, "<id>"));
}

describe.each([...kinds])("%s", kind => {
  it("TOOL-019 svc_apply_optimization applies only suggestions marked one_click, with an optional payload", async () => {
    const org = await organizationWithWaste();
    const toolClient = await openToolClient(kind, lab.url, org.liveKey);
    await eventually("a switch is suggested", async () => {
      const { suggestions } = await org.client.call("suggestions.list", { agent_id: org.agent });
      return suggestions.some(one => one.type === "model_switch");
    });
    const shown = await answered(toolClient, "svc_get_optimization_recommendations", { agent_id: org.agent });
    expect(shown.text).toContain("one_click: svc_apply_optimization with optimization_type model_switch");
    const { structured } = await answered(toolClient, "svc_apply_optimization", {
      agent_id: org.agent,
      optimization_type: "model_switch",
      payload: { model: "gpt-4o-mini" },
    });
    expect(structured).toMatchObject({
      applied: true,
      optimization: { agent_id: org.agent, payload: { model: "gpt-4o-mini" }, undone_at: null },
    });
    const { optimizations } = await org.client.call("agents.optimizations.list", { id: org.agent });
    expect(optimizations.map(({ id }) => id)).toEqual([String(record(structured.optimization).id)]);
    for (const optimization_type of ["batching", "idle_agents", "no_such_thing"]) {
      const refused = await toolClient.call("svc_apply_optimization", {
        agent_id: org.agent,
        optimization_type,
      });
      expect([optimization_type, refused.facts.status]).toEqual([optimization_type, 400]);
    }
    // During an experiment, the agent's model can be neither switched nor switched back.
    const compared = { agent_id: org.agent, name: "both", treatment_model: "gpt-4.1-nano" };
    const { structured: experiment } = await answered(toolClient, "svc_create_model_experiment", compared);
    const during = {
      agent_id: org.agent,
      optimization_type: "model_switch",
      payload: { model: "gpt-4o-mini" },
    };
    expect((await toolClient.call("svc_apply_optimization", during)).facts.status).toBe(400);
    const undo = { id: org.agent, optimization_id: String(record(structured.optimization).id) };
    expect((await refusal(org.client.call("agents.optimizations.undo", undo))).status).toBe(400);
    await answered(toolClient, "svc_stop_experiment", { experiment_id: String(experiment.id) });
    expect((await org.client.call("agents.optimizations.undo", undo)).undone).toBe(true);
    // A model without text output cannot be compared.
    const deaf = { ...compared, treatment_model: "text-embedding-3-small" };
    expect((await toolClient.call("svc_create_model_experiment", deaf)).facts.status).toBe(400);
    await toolClient.close();
  });

  it("TOOL-030 TOOL-031 TOOL-033 an experiment is created with defaults, shown, and stopped with its results", async () => {
    const org = await organizationWithWaste();
    const toolClient = await openToolClient(kind, lab.url, org.liveKey);
    const created = await answered(toolClient, "svc_create_model_experiment", {
      agent_id: org.agent,
      name: "n".repeat(100),
      treatment_model: "gpt-4o-mini",
    });
    expect(created.structured).toMatchObject({
      agent_id: org.agent,
      treatment_model: "gpt-4o-mini",
      traffic_pct: 10,
      primary_metric: "cost_per_call",
      max_duration_days: 14,
      auto_promote: false,
      status: "running",
    });
    const id = String(created.structured.id);
    const second = await toolClient.call("svc_create_model_experiment", {
      agent_id: org.agent,
      name: "second",
      treatment_model: "gpt-4.1-mini",
    });
    expect(second.facts.status).toBe(400);
    const shown = async (args: Record<string, unknown>) =>
      (
        (await answered(toolClient, "svc_get_experiment_results", args)).structured.experiments as {
          id: string;
        }[]
      ).map(one => one.id);
    expect(await shown({ status: "running" })).toEqual([id]);
    expect(await shown({ agent_id: org.agent })).toEqual([id]);
    expect(await shown({ status: "completed" })).toEqual([]);
    const stopped = await answered(toolClient, "svc_stop_experiment", { experiment_id: id });
    expect(stopped.structured).toMatchObject({ status: "cancelled", promoted: false, experiment: { id } });
    expect(await shown({ status: "cancelled" })).toEqual([id]);
    const again = await answered(toolClient, "svc_create_model_experiment", {
      agent_id: org.agent,
      name: "x",
      treatment_model: "gpt-4o-mini",
      traffic_pct: 50,
      primary_metric: "latency_p95",
      max_duration_days: 30,
      auto_promote: true,
    });
    expect(again.structured).toMatchObject({
      traffic_pct: 50,
      primary_metric: "latency_p95",
      max_duration_days: 30,
      auto_promote: true,
    });
    await toolClient.close();
  });
});
