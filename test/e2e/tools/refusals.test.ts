import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { surfaces } from "@tollgate/tools/surfaces";
import { type ControlLab, startControlLab } from "../../support/labs/control-lab.ts";
import { fillOrganization } from "../../support/labs/fill-organization.ts";
import { openToolClient, type ToolClient, type ToolClientKind } from "../../support/labs/tool-clients.ts";

let lab: ControlLab;
beforeAll(async () => {
  lab = await startControlLab();
});
afterAll(() => lab.stop());

const kinds: readonly ToolClientKind[] = ["stdio, new client", "hosted, new client"];

/** Valid arguments, with existing or unknown ids. */
const asking = (agent_id: string, budget_id: string, alert: string, experiment_id: string) =>
  [
    ["svc_get_agent_detail", { agent_id }],
    ["svc_get_optimization_recommendations", { agent_id }],
    ["svc_apply_optimization", { agent_id, optimization_type: "token_guardrails" }],
    ["svc_route_model", { agent_id, task_complexity: "low" }],
    ["svc_update_budget_mode", { budget_id, paused: true }],
    ["svc_acknowledge_alert", { alert_ids: [alert] }],
    ["svc_create_model_experiment", { agent_id, name: "x", treatment_model: "gpt-4o" }],
    ["svc_stop_experiment", { experiment_id }],
    ["svc_run_cost_leak_scan", { agent_id }],
    ["svc_get_task_roi", { agent_id }],
    ["svc_get_attribution_report", { agent_id }],
    ["svc_generate_roi_audit", { agent_ids: [agent_id] }],
  ] as const;

const making = [
  ["svc_attribute_task", { outcome_type: "quality", outcome_source: "manual" }],
  ["svc_set_budget", { period: "daily", limit_dollars: 1 }],
  ["svc_configure_alert_threshold", { metric: "daily_cost", threshold_value: 1, action: "email" }],
] as const;

describe.each([...kinds])("%s", kind => {
  it("TOOL-008 an id that does not exist, and one of another organization, are the same 404", async () => {
    const mine = await fillOrganization(lab);
    const other = await fillOrganization(lab);
    const toolClient = await openToolClient(kind, lab.url, mine.liveKey);
    const nobody = asking(crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID());
    const experiment = await other.client.call("experiments.create", {
      agent_id: other.ids.agent,
      name: "theirs",
      treatment_model: "gpt-4o",
    });
    const others = asking(other.ids.agent, other.ids.budget, other.ids.alert, experiment.id);
    for (const [index, [tool, args]] of nobody.entries()) {
      const unknown = await toolClient.call(tool, args);
      const foreign = await toolClient.call(tool, others[index]?.[1]);
      expect([tool, unknown.facts.status]).toEqual([tool, 404]);
      expect(unknown).toMatchObject({ isError: true, structured: {} });
      expect(foreign).toEqual(unknown);
    }
    // For tools that create something for an agent, an unknown agent is an invalid argument.
    for (const [tool, args] of making) {
      const unknown = await toolClient.call(tool, { ...args, agent_id: crypto.randomUUID() });
      const foreign = await toolClient.call(tool, { ...args, agent_id: other.ids.agent });
      expect([tool, unknown.isError]).toEqual([tool, true]);
      expect(foreign).toEqual(unknown);
    }
    await toolClient.close();
  });

  it("TOOL-008 AUTH-007 a read-only key gets 403 from every tool that changes something, and nothing is changed", async () => {
    const org = await fillOrganization(lab);
    const toolClient = await openToolClient(kind, lab.url, org.readKey);
    const { agent, budget, alert } = org.ids;
    const writes = [
      ...asking(agent, budget, alert, crypto.randomUUID()),
      ...making.map(([tool, args]) => [tool, { ...args, agent_id: agent }] as const),
    ];
    const readOnly = new Map(
      surfaces.stdio.map(({ name, annotations }) => [String(name), annotations.readOnlyHint]),
    );
    const state = async () => [
      await org.client.call("budgets.list"),
      // The alert watcher decides whether it is resolved.
      (await org.client.call("alerts.list")).alerts.map(({ id, is_read }) => [id, is_read]),
      await org.client.call("outcomes.list"),
      await org.client.call("alerts.thresholds.list"),
      await org.client.call("experiments.list"),
    ];
    const before = await state();
    const tried = new Set<string>();
    for (const [tool, args] of writes) {
      if (readOnly.get(tool)) continue;
      tried.add(tool);
      expect([tool, (await toolClient.call(tool, args)).facts]).toEqual([tool, { status: 403 }]);
    }
    expect(tried.size).toBe([...readOnly.values()].filter(isRead => !isRead).length);
    expect(await state()).toEqual(before);
    expect((await toolClient.call("svc_get_budget_status")).isError).toBe(false);
    await toolClient.close();
  });

  it("TOOL-008 a tier without the feature is reported as 402 with the tier that has it", async () => {
    const org = await lab.organization("starter");
    const toolClient = await openToolClient(kind, lab.url, org.liveKey);
    for (const tool of ["svc_get_optimization_recommendations", "svc_run_cost_leak_scan"]) {
      const { isError, facts } = await toolClient.call(tool);
      expect([tool, isError, facts]).toEqual([
        tool,
        true,
        expect.objectContaining({ status: 402, required_tier: "lite", current_tier: "starter" }),
      ]);
    }
    await toolClient.close();
  });

  it("TOOL-009 TOOL-060 the 61st call of one tool in a minute is 429 with retryAfter in seconds; another tool still answers", async () => {
    const org = await lab.organization();
    const toolClient = await openToolClient(kind, lab.url, org.liveKey);
    let made = 0;
    const call = async () => {
      made++;
      return await toolClient.call("svc_get_budget_status");
    };
    let refused = await call();
    while (!refused.isError) refused = await call();
    // Over stdio the minute is a real one, and a busy machine may need more than that for the calls.
    if (kind.startsWith("hosted")) expect(made).toBe(61);
    else expect(made).toBeGreaterThan(60);
    expect(refused).toMatchObject({ isError: true, facts: { status: 429 } });
    const { retryAfter } = refused.facts;
    expect(retryAfter).toBeNumber();
    expect(Number(retryAfter)).toBeGreaterThan(0);
    expect(Number(retryAfter)).toBeLessThanOrEqual(60);
    expect(refused.text).toContain(`Retry after ${retryAfter} s`);
    expect((await toolClient.call("svc_list_agents")).isError).toBe(false);
    await toolClient.close();
  });
});

it("TOOL-008 a revoked key: stdio answers 401, the hosted endpoint refuses the request", async () => {
  const org = await lab.organization();
  const toolClients: ToolClient[] = [];
  for (const kind of kinds) toolClients.push(await openToolClient(kind, lab.url, org.readKey));
  for (const toolClient of toolClients)
    expect((await toolClient.call("svc_get_budget_status")).isError).toBe(false);
  const { keys } = await org.client.call("keys.list");
  for (const key of keys.filter(({ scope }) => scope === "read"))
    await org.client.call("keys.revoke", { id: key.id });
  const [stdio, hosted] = toolClients;
  const refused = await stdio?.call("svc_get_budget_status");
  expect(refused).toMatchObject({ isError: true, facts: { status: 401 } });
  expect(refused?.text).not.toContain(org.readKey);
  await expect(hosted?.call("svc_get_budget_status")).rejects.toThrow();
  for (const toolClient of toolClients) await toolClient.close();
});

it("AUTH-003 the key of a suspended organization is refused with 403 by both entry points, and works again afterwards", async () => {
  const org = await lab.organization();
  const setStatus = (status: string) =>
    lab.db.updateTable("organizations").set({ status }).where("id", "=", org.id).execute();
  const [stdio, hosted] = [
    await openToolClient("stdio, old client", lab.url, org.liveKey),
    await openToolClient("hosted, old client", lab.url, org.liveKey),
  ];
  for (const status of ["suspended", "inactive"]) {
    await setStatus(status);
    expect((await stdio.call("svc_get_budget_status")).facts).toEqual({ status: 403 });
    await expect(hosted.call("svc_get_budget_status")).rejects.toThrow(status);
    await setStatus("active");
    for (const toolClient of [stdio, hosted])
      expect((await toolClient.call("svc_get_budget_status")).isError).toBe(false);
  }
  await stdio.close();
  await hosted.close();
});

it("TOOL-060 the rate is counted by key and tool: another key of the organization has its own sixty", async () => {
  const org = await lab.organization();
  const [first, second] = [
    await openToolClient("hosted, new client", lab.url, org.liveKey),
    await openToolClient("hosted, old client", lab.url, org.readKey),
  ];
  for (let call = 0; call < 60; call++) await first.call("svc_get_alerts");
  expect((await first.call("svc_get_alerts")).facts.status).toBe(429);
  expect((await second.call("svc_get_alerts")).isError).toBe(false);
  lab.clock.advance(60_000);
  expect((await first.call("svc_get_alerts")).isError).toBe(false);
  await first.close();
  await second.close();
});
