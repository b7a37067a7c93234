import type { Tool } from "@tollgate/tools/tool";

export type Arguments = Readonly<Record<string, unknown>>;

/** Subjects of the calls: real agents, busy ones and others. */
export interface Subjects {
  readonly agentIds: readonly string[];
}

type ArgumentsOf = (turn: number, subjects: Subjects) => Arguments;

/** The largest windows as often as the usual ones. */
const days = (turn: number) => [30, 90, 7, 61, 14, 89][turn % 6] ?? 30;

const agent = (turn: number, { agentIds }: Subjects) => agentIds[(turn * 7) % agentIds.length] ?? "";

/** Every other call is about the whole fleet. */
const perhapsAgent = (turn: number, subjects: Subjects): Arguments =>
  turn % 2 === 0 ? {} : { agent_id: agent(turn, subjects) };

const pick = <Value>(turn: number, values: readonly Value[]) => values[turn % values.length];

const known: Readonly<Record<string, ArgumentsOf>> = {
  svc_get_cost_summary: turn => ({ days: days(turn) }),
  svc_list_agents: turn => pick(turn, [{}, { status: "active" }, { category: "support" }]) ?? {},
  svc_get_agent_detail: (turn, subjects) => ({ agent_id: agent(turn, subjects) }),
  svc_get_optimization_recommendations: (turn, subjects) => ({
    ...perhapsAgent(turn, subjects),
    include_revenue: turn % 3 > 0,
  }),
  svc_route_model: (turn, subjects) => ({
    agent_id: agent(turn, subjects),
    task_complexity: pick(turn, ["low", "medium", "high"]),
  }),
  svc_compare_models: turn =>
    pick(turn, [{}, { current_model: "gpt-4o" }, { provider: "anthropic" }, { current_model: "o3" }]) ?? {},
  svc_get_budget_status: () => ({}),
  svc_get_alerts: turn => ({ unread_only: turn % 2 === 0, limit: pick(turn, [25, 100]) }),
  svc_get_failure_predictions: perhapsAgent,
  svc_get_experiment_results: turn => pick(turn, [{}, { status: "running" }, { status: "completed" }]) ?? {},
  svc_run_cost_leak_scan: (turn, subjects) => ({
    ...perhapsAgent(turn, subjects),
    include_low_severity: turn % 3 === 0,
    output_format: pick(turn, ["text", "text", "json"]),
  }),
  svc_get_task_roi: (turn, subjects) => ({ agent_id: agent(turn, subjects), days: days(turn) }),
  svc_get_attribution_report: (turn, subjects) => ({
    ...perhapsAgent(turn, subjects),
    days: days(turn),
    model: pick(turn, ["direct", "last_touch", "first_touch"]),
  }),
  svc_generate_roi_audit: (turn, subjects) => ({
    days: days(turn),
    ...(turn % 4 === 3 ? { agent_ids: subjects.agentIds.slice(0, 20) } : {}),
  }),
  svc_get_upgrade_justification: turn => ({ days: days(turn) }),
  svc_get_upgrade_business_case: turn => ({ current_tier: pick(turn, ["starter", "lite", "pro"]) }),
  svc_get_dashboard_headline: turn => ({ days: pick(turn, [7, 30, 90]) }),
  svc_get_health_scores: () => ({}),
  svc_get_rankings: () => ({}),
  svc_get_balance: () => ({}),
  svc_get_signal_readiness: () => ({}),
  svc_get_verdicts: () => ({}),
  svc_get_trials: () => ({}),
  svc_get_proposals: () => ({}),
  svc_get_actuations: () => ({}),
  svc_get_decision_queue: () => ({}),
};

/** They read one row by its id or token, and the staged fleet has none. */
const ofOneRow: ReadonlySet<string> = new Set(["svc_get_verification", "svc_get_report_snapshot"]);

export function isMeasured({ name, annotations }: Tool): boolean {
  return annotations.readOnlyHint && !ofOneRow.has(name);
}

/** null: no arguments are defined for it yet. */
export function argumentsOf({ name }: Tool): ArgumentsOf | null {
  return Object.hasOwn(known, name) ? (known[name] ?? null) : null;
}
