import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { sharedTools } from "@tollgate/tools/catalog";
import { surfaces } from "@tollgate/tools/surfaces";
import { domains } from "@tollgate/tools/tool";
import manifest from "../../../packages/tools/package.json" with { type: "json" };
import registryEntry from "../../../packages/tools/server.json" with { type: "json" };
import { hostedOnlyTools } from "../../spec-surface.ts";
import { type ControlLab, startControlLab } from "../../support/labs/control-lab.ts";
import { openToolClient, type ToolClient, toolClientKinds } from "../../support/labs/tool-clients.ts";

/** The specification's tools, by domain. */
const stdioTools = {
  Dashboard: ["svc_get_cost_summary", "svc_list_agents", "svc_get_agent_detail"],
  Optimization: [
    "svc_get_optimization_recommendations",
    "svc_apply_optimization",
    "svc_route_model",
    "svc_compare_models",
  ],
  Budgets: ["svc_get_budget_status", "svc_set_budget", "svc_update_budget_mode"],
  Alerts: ["svc_get_alerts", "svc_acknowledge_alert", "svc_get_failure_predictions"],
  Experiments: ["svc_create_model_experiment", "svc_get_experiment_results", "svc_stop_experiment"],
  "Cost leak detector": ["svc_run_cost_leak_scan"],
  Attribution: ["svc_attribute_task", "svc_get_task_roi", "svc_get_attribution_report"],
  "Alert configuration": ["svc_configure_alert_threshold"],
  "ROI audit": ["svc_generate_roi_audit"],
  "Upgrade justification": ["svc_get_upgrade_justification"],
} as const satisfies Record<string, readonly string[]>;

const writing = new Set<string>([
  "svc_apply_optimization",
  "svc_set_budget",
  "svc_update_budget_mode",
  "svc_acknowledge_alert",
  "svc_create_model_experiment",
  "svc_stop_experiment",
  "svc_attribute_task",
  "svc_configure_alert_threshold",
]);

const names: readonly string[] = Object.values(stdioTools).flat();
const hostedOnly: readonly string[] = Object.values(hostedOnlyTools).flat();

let lab: ControlLab;
let key: string;
const toolClients: ToolClient[] = [];
beforeAll(async () => {
  lab = await startControlLab();
  key = (await lab.organization()).liveKey;
  for (const kind of toolClientKinds) toolClients.push(await openToolClient(kind, lab.url, key));
});
afterAll(async () => {
  for (const toolClient of toolClients) await toolClient.close();
  await lab.stop();
});

const over = (prefix: "stdio" | "hosted") => toolClients.filter(({ name }) => name.startsWith(prefix));

describe("the catalogue", () => {
  it("has 23 tools for both entry points, in the specification's ten domains", () => {
    expect(names).toHaveLength(23);
    expect<readonly string[]>(domains).toEqual([...Object.keys(stdioTools), ...Object.keys(hostedOnlyTools)]);
    for (const [domain, tools] of Object.entries(stdioTools)) {
      expect(sharedTools.filter(tool => tool.domain === domain).map(({ name }) => name)).toEqual([...tools]);
    }
  });

  for (const tool of surfaces.hosted) {
    it(`${tool.name} matches its committed snapshot (if not: npm run generate)`, async () => {
      const { name, domain, title, description, annotations, inputSchema, outputSchema } = tool;
      const kept: unknown = await Bun.file(
        `${import.meta.dir}/../../../generated/tool-schemas/${name}.json`,
      ).json();
      expect(kept).toEqual(
        JSON.parse(
          JSON.stringify({
            name,
            domain,
            title,
            description,
            annotations,
            inputSchema: inputSchema.json,
            outputSchema: outputSchema.json,
          }),
        ),
      );
    });
  }
});

it("TOOL-001 stdio lists exactly the 23 tools of the ten domains, and a hosted-only tool is an error", async () => {
  for (const toolClient of over("stdio")) {
    expect((await toolClient.tools()).map(({ name }) => name)).toEqual([...names]);
    for (const name of hostedOnly) await expect(toolClient.call(name)).rejects.toThrow(name);
  }
});

it("TOOL-002 the hosted endpoint lists exactly 38 tools: those of stdio and the 15 hosted-only ones", async () => {
  for (const toolClient of over("hosted")) {
    const listed = (await toolClient.tools()).map(({ name }) => name);
    expect(listed).toHaveLength(38);
    expect(listed.toSorted()).toEqual([...names, ...hostedOnly].toSorted());
  }
});

it("TOOL-062 the hosted tools are in 14 domains, those of stdio in ten", () => {
  const domainsOf = (tools: readonly { readonly domain: string }[]) =>
    [...new Set(tools.map(({ domain }) => domain))].toSorted();
  expect(domainsOf(surfaces.stdio)).toEqual(Object.keys(stdioTools).toSorted());
  expect(domainsOf(surfaces.hosted)).toEqual([...domains].toSorted());
  expect(domains).toHaveLength(14);
});

it("TOOL-060 the 15 hosted-only tools are in four domains besides the ten, as docs/decisions/0009 decides", async () => {
  expect(hostedOnly).toHaveLength(15);
  expect(new Set([...Object.keys(stdioTools), ...Object.keys(hostedOnlyTools)]).size).toBe(14);
  const decision = await Bun.file(
    `${import.meta.dir}/../../../docs/decisions/0009-tools-and-engines.md`,
  ).text();
  for (const [domain, tools] of Object.entries(hostedOnlyTools)) {
    const row = decision.split("\n").find(line => line.startsWith(`| ${domain} `)) ?? "no such row";
    expect([...row.matchAll(/`(svc_\w+)`/g)].map(([, name]) => name ?? "")).toEqual([...tools]);
  }
  expect(decision).toContain("`svc_get_verification` takes `request_id`");
});

it("the hosted endpoint lists the same tools, with the same schemas", async () => {
  const [first] = over("stdio");
  const listed = await first?.tools();
  for (const toolClient of over("hosted")) {
    const shared = (await toolClient.tools()).filter(({ name }) => names.includes(name));
    expect(shared).toEqual([...(listed ?? [])]);
  }
});

it("every tool has a title, describes when not to use it, and sets all four annotations", async () => {
  for (const tool of (await over("stdio")[0]?.tools()) ?? []) {
    expect(tool.title).toBeString();
    expect(tool.description).toMatch(/\bnot\b/i);
    const isRead = !writing.has(tool.name);
    expect(tool.annotations).toMatchObject({ readOnlyHint: isRead, openWorldHint: false });
    expect(tool.annotations?.destructiveHint).toBeBoolean();
    expect(tool.annotations?.idempotentHint).toBeBoolean();
    if (isRead) expect(tool.annotations).toMatchObject({ destructiveHint: false, idempotentHint: true });
  }
});

it("TOOL-003 the package is version 0.2.5, in its metadata and on the wire", () => {
  expect(manifest.version).toBe("0.2.5");
  expect(registryEntry.version).toBe("0.2.5");
  expect(registryEntry.packages.map(({ version }) => version)).toEqual(["0.2.5"]);
  for (const toolClient of over("stdio"))
    expect(toolClient.client.getServerVersion()).toMatchObject({ version: "0.2.5" });
});

it("TOOL-004 both entry points serve clients of the old and new protocol; the hosted one at /mcp, with a service key", async () => {
  const negotiated = toolClients.map(({ name, client }) => [
    name,
    "getNegotiatedProtocolVersion" in client ? client.getNegotiatedProtocolVersion() : "old",
  ]);
  expect(negotiated).toEqual([
    ["stdio, new client", "2026-07-28"],
    ["stdio, old client", "old"],
    ["hosted, new client", "2026-07-28"],
    ["hosted, old client", "old"],
  ]);
  for (const toolClient of toolClients)
    expect((await toolClient.call("svc_get_budget_status")).isError).toBe(false);
});
