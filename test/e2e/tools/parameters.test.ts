import { afterAll, beforeAll, expect, it } from "bun:test";
import { surfaces } from "@tollgate/tools/surfaces";
import { type ControlLab, startControlLab } from "../../support/labs/control-lab.ts";
import { fillOrganization } from "../../support/labs/fill-organization.ts";
import { openToolClient, record, type ToolClient } from "../../support/labs/tool-clients.ts";

/**
 * Every parameter of the specification, compared with the schema that clients see and with the actual behaviour: one
 * below each bound, at it, one above it, other types, missing where required. Writing tools are called with a read-only
 * key: valid arguments are refused with 403, others with 400.
 */
interface Parameter {
  readonly schema: Readonly<Record<string, unknown>>;
  readonly good: readonly unknown[];
  readonly bad: readonly unknown[];
  readonly isRequired?: true;
}

const required = (parameter: Parameter): Parameter => ({ ...parameter, isRequired: true });

const uuid: Parameter = {
  schema: { type: "string", format: "uuid" },
  good: ["00000000-0000-4000-8000-000000000000", "ABCDEF00-0000-4000-8000-000000000000"],
  bad: [
    "",
    "agent-1",
    "00000000-0000-4000-8000-00000000000",
    "00000000-0000-4000-8000-0000000000000",
    7,
    null,
    {},
  ],
};
const within = (type: "number" | "integer", least: number, most: number, byDefault: number): Parameter => ({
  schema: { type, minimum: least, maximum: most, default: byDefault },
  good: [least, most, byDefault],
  bad: [least - 1, most + 1, `${least}`, null, [least], ...(type === "integer" ? [least + 0.5] : [])],
});
const oneOf = (values: readonly string[], byDefault?: string): Parameter => ({
  schema: { type: "string", enum: [...values], ...(byDefault === undefined ? {} : { default: byDefault }) },
  good: values,
  bad: ["", "other", values[0]?.toUpperCase(), 1, null, [values[0]]],
});
const flag = (byDefault?: boolean): Parameter => ({
  schema: { type: "boolean", ...(byDefault === undefined ? {} : { default: byDefault }) },
  good: [true, false],
  bad: ["true", 1, 0, null],
});
const text = (least: number, most: number): Parameter => ({
  schema: { type: "string", ...(least > 0 ? { minLength: least } : {}), maxLength: most },
  good: ["x".repeat(Math.max(1, least)), "x".repeat(most)],
  bad: [...(least > 0 ? ["x".repeat(least - 1)] : []), "x".repeat(most + 1), 5, null, {}],
});

let lab: ControlLab;
let toolClient: ToolClient;
let reader: ToolClient;
let agent: string;
beforeAll(async () => {
  lab = await startControlLab();
  const organization = await fillOrganization(lab);
  agent = organization.ids.agent;
  toolClient = await openToolClient("hosted, new client", lab.url, organization.liveKey);
  reader = await openToolClient("hosted, new client", lab.url, organization.readKey);
});
afterAll(async () => {
  await toolClient.close();
  await reader.close();
  await lab.stop();
});

/** Everything that a tool can change. Alerts also change by themselves, so only whether they were read. */
async function changeable(): Promise<unknown> {
  const tables = [
    "agent_settings",
    "alert_preferences",
    "alert_thresholds",
    "budgets",
    "checkouts",
    "experiments",
    "optimizations",
    "outcomes",
    "verification_requests",
    "verification_grants",
  ] as const;
  const rows: Record<string, unknown> = {};
  for (const table of tables) rows[table] = await lab.db.selectFrom(table).selectAll().execute();
  const read = lab.db.selectFrom("alerts").select("id").where("read_at", "is not", null);
  return { ...rows, read: await read.execute() };
}

const held = new Set<string>();

async function holds(name: string, parameters: Readonly<Record<string, Parameter>>): Promise<void> {
  const tool = surfaces.hosted.find(one => one.name === name);
  if (tool === undefined) throw new Error(`there is no tool ${name}`);
  const { properties, required: must = [] } = tool.inputSchema.json;
  expect(Object.keys(record(properties)).toSorted()).toEqual(Object.keys(parameters).toSorted());
  const needed = Object.keys(parameters).filter(one => parameters[one]?.isRequired);
  expect([...(must as string[])].toSorted()).toEqual(needed.toSorted());
  for (const [parameter, { schema }] of Object.entries(parameters)) {
    expect(record(properties)[parameter]).toMatchObject(schema);
  }

  const isReading = tool.annotations.readOnlyHint;
  const caller = isReading ? toolClient : reader;
  // Only required arguments: everything else has its default. Agents refer to an existing one.
  const base = Object.fromEntries(
    needed.map(one => [one, one === "agent_id" ? agent : parameters[one]?.good[0]]),
  );
  let calls = 0;
  const statusOf = async (args: Record<string, unknown>, by = caller) => {
    // The clock is frozen: it advances before the rate limit would be reached.
    if (++calls % 50 === 0) lab.clock.advance(60_000);
    const { isError, facts } = await by.call(name, args);
    return isError ? facts.status : 200;
  };
  /** Also with a write key: then only the arguments prevent the call. */
  const refusesArguments = async (args: Record<string, unknown>) => {
    expect([name, args, await statusOf(args)]).toEqual([name, args, 400]);
    if (!isReading) expect([name, args, await statusOf(args, toolClient)]).toEqual([name, args, 400]);
  };
  const before = await changeable();
  const accepted = isReading ? [200, 402, 404] : [403];
  lab.clock.advance(60_000);
  expect([name, base, accepted.includes(Number(await statusOf(base)))]).toEqual([name, base, true]);
  for (const [parameter, { good, bad, isRequired }] of Object.entries(parameters)) {
    for (const value of good) {
      const status = await statusOf({ ...base, [parameter]: value });
      expect([parameter, value, status, accepted.includes(Number(status))]).toEqual([
        parameter,
        value,
        status,
        true,
      ]);
    }
    for (const value of bad) await refusesArguments({ ...base, [parameter]: value });
    if (isRequired) {
      const { [parameter]: _, ...without } = base;
      await refusesArguments(without);
    }
  }
  await refusesArguments({ ...base, no_such_parameter: 1 });
  expect([name, await changeable()]).toEqual([name, before]);
  held.add(name);
}

const modes = ["alert_only", "soft_block", "hard_block"];
const severities = ["info", "warning", "critical"];

it("TOOL-014 svc_get_cost_summary: days", () =>
  holds("svc_get_cost_summary", { days: within("number", 1, 90, 30) }));

it("TOOL-016 svc_list_agents: status, category", () =>
  holds("svc_list_agents", {
    status: oneOf(["active", "idle", "error", "archived"]),
    category: text(1, 256),
  }));

it("TOOL-017 svc_get_agent_detail: agent_id", () =>
  holds("svc_get_agent_detail", { agent_id: required(uuid) }));

it("TOOL-018 svc_get_optimization_recommendations: agent_id, include_revenue", () =>
  holds("svc_get_optimization_recommendations", { agent_id: uuid, include_revenue: flag(true) }));

it("TOOL-019 svc_apply_optimization: agent_id, optimization_type, payload", () =>
  holds("svc_apply_optimization", {
    agent_id: required(uuid),
    optimization_type: required(text(1, 64)),
    payload: { schema: { type: "object" }, good: [{}, { model: "gpt-4o-mini" }], bad: ["{}", 1, [], null] },
  }));

it("TOOL-020 svc_route_model: agent_id, task_complexity, current_model", () =>
  holds("svc_route_model", {
    agent_id: required(uuid),
    task_complexity: required(oneOf(["low", "medium", "high"])),
    current_model: text(1, 256),
  }));

it("TOOL-021 svc_compare_models: current_model, tier, provider", () =>
  holds("svc_compare_models", {
    current_model: { ...text(1, 256), good: ["gpt-4o"] },
    tier: oneOf(["frontier", "balanced", "efficient", "budget"]),
    provider: { ...text(1, 64), good: ["openai"] },
  }));

it("svc_get_budget_status: no parameters", () => holds("svc_get_budget_status", {}));

it("TOOL-023 BUD-024 svc_set_budget: agent_id, key_id, customer_id, period, limit_dollars, warning_pct, enforcement_mode", () =>
  holds("svc_set_budget", {
    agent_id: uuid,
    key_id: uuid,
    customer_id: {
      schema: { type: "string", minLength: 1, maxLength: 1024 },
      good: ["auth0|5f7c", "x".repeat(256)],
      bad: ["", "x".repeat(1025), 1, null],
    },
    period: required(oneOf(["daily", "monthly"])),
    limit_dollars: required({
      schema: { type: "number", exclusiveMinimum: 0 },
      good: [1, 0.0000001, 900_000_000, 12.3456789],
      bad: [0, -1, 0.00000001, 900_000_001, "1", null, Number.MAX_VALUE],
    }),
    warning_pct: within("integer", 1, 99, 80),
    enforcement_mode: oneOf(modes, "alert_only"),
  }));

it("TOOL-025 svc_update_budget_mode: budget_id, enforcement_mode, paused", () =>
  holds("svc_update_budget_mode", {
    budget_id: required(uuid),
    enforcement_mode: oneOf(modes),
    paused: flag(),
  }));

it("TOOL-027 svc_get_alerts: severity, unread_only, limit", () =>
  holds("svc_get_alerts", {
    severity: oneOf(severities),
    unread_only: flag(true),
    limit: within("integer", 1, 100, 25),
  }));

it("TOOL-028 svc_acknowledge_alert: alert_ids, 1 to 50", () => {
  const ids = (count: number) => Array.from({ length: count }, () => crypto.randomUUID());
  return holds("svc_acknowledge_alert", {
    alert_ids: required({
      schema: { type: "array", minItems: 1, maxItems: 50 },
      good: [ids(1), ids(50)],
      bad: [[], ids(51), ["x"], crypto.randomUUID(), null, [null]],
    }),
  });
});

it("TOOL-029 svc_get_failure_predictions: agent_id, severity, status", () =>
  holds("svc_get_failure_predictions", {
    agent_id: uuid,
    severity: oneOf(severities),
    status: oneOf(["active", "acknowledged", "resolved"], "active"),
  }));

it("TOOL-030 TOOL-031 svc_create_model_experiment: its seven parameters", () =>
  holds("svc_create_model_experiment", {
    agent_id: required(uuid),
    name: required(text(1, 100)),
    treatment_model: required(text(1, 256)),
    traffic_pct: within("integer", 1, 50, 10),
    primary_metric: oneOf(
      ["cost_per_call", "latency_p50", "latency_p95", "error_rate", "quality_score"],
      "cost_per_call",
    ),
    max_duration_days: within("integer", 1, 30, 14),
    auto_promote: flag(false),
  }));

it("TOOL-032 svc_get_experiment_results: agent_id, status", () =>
  holds("svc_get_experiment_results", {
    agent_id: uuid,
    status: oneOf(["running", "paused", "completed", "cancelled"]),
  }));

it("TOOL-033 svc_stop_experiment: experiment_id, promote_winner", () =>
  holds("svc_stop_experiment", { experiment_id: required(uuid), promote_winner: flag(false) }));

it("TOOL-034 svc_run_cost_leak_scan: agent_id, include_low_severity, output_format", () =>
  holds("svc_run_cost_leak_scan", {
    agent_id: uuid,
    include_low_severity: flag(false),
    output_format: oneOf(["text", "json"], "text"),
  }));

it("TOOL-035 svc_attribute_task: its six parameters; TOOL-036 exactly six sources", () =>
  holds("svc_attribute_task", {
    agent_id: required(uuid),
    event_id: text(1, 256),
    outcome_type: required(oneOf(["revenue", "cost_saving", "efficiency", "quality"])),
    outcome_source: required(oneOf(["payments", "scheduling", "crm", "support_desk", "webhook", "manual"])),
    value_cents: { schema: { type: "integer" }, good: [-1, 0, 1, 1_000_000_000], bad: [0.5, "1", null] },
    description: text(0, 4096),
  }));

it("TOOL-037 svc_get_task_roi: agent_id, days", () =>
  holds("svc_get_task_roi", { agent_id: required(uuid), days: within("integer", 1, 365, 30) }));

it("TOOL-038 svc_get_attribution_report: agent_id, days, model", () =>
  holds("svc_get_attribution_report", {
    agent_id: uuid,
    days: within("integer", 1, 365, 30),
    model: oneOf(["direct", "last_touch", "first_touch"], "direct"),
  }));

it("TOOL-039 svc_configure_alert_threshold: agent_id, metric, threshold_value, action", () =>
  holds("svc_configure_alert_threshold", {
    agent_id: uuid,
    metric: required(oneOf(["daily_cost", "monthly_cost", "error_rate", "latency_p99"])),
    threshold_value: required({
      schema: { type: "number", exclusiveMinimum: 0 },
      good: [0.01, 1, 1_000_000_000_000],
      bad: [0, -1, 1_000_000_000_001, "1", null],
    }),
    action: required(oneOf(["email", "webhook", "pause_agent"])),
  }));

it("TOOL-040 svc_generate_roi_audit: days, include_methodology, agent_ids", () =>
  holds("svc_generate_roi_audit", {
    days: within("integer", 7, 365, 30),
    include_methodology: flag(true),
    agent_ids: {
      schema: { type: "array", minItems: 1, maxItems: 200 },
      good: [[agent], Array.from({ length: 200 }, () => agent)],
      bad: [[], Array.from({ length: 201 }, () => agent), ["x"], agent, null],
    },
  }));

it("TOOL-041 svc_get_upgrade_justification: days", () =>
  holds("svc_get_upgrade_justification", { days: within("integer", 7, 90, 30) }));

it("TOOL-042 svc_get_upgrade_business_case: its four parameters", () =>
  holds("svc_get_upgrade_business_case", {
    current_tier: required(oneOf(["starter", "lite", "pro"])),
    monthly_spend: { schema: { type: "number" }, good: [0, 12.5, 1e9], bad: [-1, "1", null] },
    agent_count: { schema: { type: "integer" }, good: [0, 7], bad: [-1, 0.5, "1", null] },
    primary_use_case: oneOf(["customer_support", "data_processing", "content_generation", "code_assistant"]),
  }));

it("TOOL-049 svc_get_signal_readiness: no parameters", () => holds("svc_get_signal_readiness", {}));

it("TOOL-050 svc_get_dashboard_headline: days is 7, 30 or 90", () =>
  holds("svc_get_dashboard_headline", {
    days: {
      schema: { type: "number", enum: [7, 30, 90], default: 30 },
      good: [7, 30, 90],
      bad: [0, 1, 8, 29, 31, 91, 365, 7.5, "7", null, [7]],
    },
  }));

it("TOOL-051 svc_get_report_snapshot: share_token is 16 to 64 hex characters", () =>
  holds("svc_get_report_snapshot", {
    share_token: required({
      schema: { type: "string" },
      good: ["0".repeat(16), "AbCdEf0123456789".repeat(4)],
      bad: ["", "0".repeat(15), "0".repeat(65), "g".repeat(32), 7, null, {}],
    }),
  }));

it("TOOL-043 svc_get_health_scores: no parameters", () => holds("svc_get_health_scores", {}));

it("TOOL-044 svc_get_rankings: no parameters", () => holds("svc_get_rankings", {}));

it("TOOL-046 svc_buy_verification: callback_url", () =>
  holds("svc_buy_verification", {
    callback_url: {
      schema: { type: "string", format: "uri", maxLength: 2048 },
      good: ["https://app.example.org/back", "http://localhost:5173"],
      bad: ["", "app.example.org", "/back", "http://app.example.org", "javascript:alert(1)", 7, null],
    },
  }));

it("TOOL-045 svc_get_balance: no parameters", () => holds("svc_get_balance", {}));

it("TOOL-047 svc_verify_switch: prod_model, candidate_model, agent_id, policy_id", () =>
  holds("svc_verify_switch", {
    prod_model: required(text(1, 256)),
    candidate_model: required(text(1, 256)),
    agent_id: uuid,
    policy_id: uuid,
  }));

it("TOOL-048 svc_get_verification: request_id", () =>
  holds("svc_get_verification", { request_id: required(uuid) }));

it("TOOL-052 svc_get_verdicts: no parameters", () => holds("svc_get_verdicts", {}));

it("TOOL-053 svc_get_trials: no parameters", () => holds("svc_get_trials", {}));

it("TOOL-054 svc_get_proposals: no parameters", () => holds("svc_get_proposals", {}));

it("TOOL-055 svc_get_actuations: no parameters", () => holds("svc_get_actuations", {}));

it("TOOL-056 svc_get_decision_queue: no parameters", () => holds("svc_get_decision_queue", {}));

it("TOOL-010 every tool was checked above: an invalid argument is an error and changes nothing", () => {
  expect([...held].sort()).toEqual(surfaces.hosted.map(({ name }) => name).sort());
});

it("TOOL-010 invalid arguments are reported by name and change nothing", async () => {
  lab.clock.advance(60_000);
  const before = await lab.db.selectFrom("budgets").selectAll().execute();
  const { isError, text: sentence } = await toolClient.call("svc_set_budget", {
    period: "weekly",
    limit_dollars: 5,
    warning_pct: 100,
    surprise: 1,
  });
  expect(isError).toBe(true);
  for (const word of ["period", "warning_pct", "surprise is not a parameter", "Nothing was changed"]) {
    expect(sentence).toContain(word);
  }
  expect(await lab.db.selectFrom("budgets").selectAll().execute()).toEqual(before);
});
