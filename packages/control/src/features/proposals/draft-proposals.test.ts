import { describe, expect, it } from "bun:test";
import type { BlockedReason, ProposalSource } from "@tollgate/core/decisions/vocabulary";
import type { Finding } from "@tollgate/core/leaks/finding";
import { microcents } from "@tollgate/core/money/money";
import type { Suggestion } from "@tollgate/core/suggestions/suggestion";
import { toResult } from "../verification/verdict-result.ts";
import { draftProposals, type Grounds } from "./draft-proposals.ts";

const AGENT = "agent";
const none: Grounds = {
  now: 0,
  suggestions: [],
  findings: [],
  verdicts: [],
  listedName: model => model.replace("openai/", ""),
  agentsWithExperiment: new Set(),
  agentsWithFewCalls: new Set(),
  agentsWithOutcomes: new Set(),
  mayAddBudget: true,
};
const agents = new Set([AGENT]);

function suggested(type: "model_switch" | "token_guardrails", payload: Record<string, unknown>): Suggestion {
  return {
    type,
    title: "",
    description: "",
    agent_id: AGENT,
    agent_name: AGENT,
    impact_monthly_cents: 1,
    savings_pct: null,
    confidence: 1,
    evidence: type === "model_switch" ? { current_model: "dear" } : {},
    caveat: null,
    one_click: true,
    implementation: { endpoint: "", payload: { optimization_type: type, payload } },
  };
}
const switching = { suggestions: [suggested("model_switch", { model: "cheap" })] };
const shortening = { suggestions: [suggested("token_guardrails", { max_output_tokens: 100 })] };
const result = JSON.stringify(
  toResult(
    {
      ...{ isShown: true, margin: 0.1, alpha: 0.05, counts: null, tangoLower: null, controls: null },
      score: { pairs: 60, values: 60, mean: 0, lower: -0.05, upper: 0.05 },
      guards: {
        error_rate: { passes: true, production: 0, candidate: 0 },
        latency_p95_ms: { passes: true, production: 1, candidate: 1 },
      },
      candidateErrors: null,
      savings: {
        ...{ priced_pairs: 0, unpriced_pairs: 60 },
        ...{ per_call_microcents: null, per_month_microcents: null, ratio: null },
      },
      design: "paired",
    },
    0,
  ),
);
const verdictOn = (
  prod_model: string,
  agent_id: string | null,
  verdict: "holds" | "degrades" = "holds",
): Grounds["verdicts"][number] => ({
  ...{ id: "verdict", org_id: "", mode: "live", request_id: "", trial_id: "", agent_id, agent_key: agent_id },
  ...{ prod_model, candidate_model: "cheap", task_category: null, verdict, evidence_mode: "shadow", result },
  ...{ judge_model: null, concluded_at: 0, expires_at: 1, invalidated_at: null, invalid_reason: null },
});
const finding: Finding = {
  check: "missing_budgets",
  severity: "low",
  agentId: AGENT,
  agentName: AGENT,
  description: "",
  evidence: {},
  wasteMonthly: microcents(0),
  fix: "",
  isAutoFixable: false,
};

describe("what blocks a proposal", () => {
  it.each<[string, Partial<Grounds>, BlockedReason | null]>([
    ["a switch without a verdict", switching, "no_verdict"],
    [
      "one of an agent with too few calls for a verdict",
      { ...switching, agentsWithFewCalls: agents },
      "insufficient_volume",
    ],
    [
      "one during an experiment, however few calls there are",
      { ...switching, agentsWithFewCalls: agents, agentsWithExperiment: agents },
      "experiment_running",
    ],
    ["shorter answers of an agent without outcomes", shortening, "missing_outcomes"],
    ["shorter answers of an agent with outcomes", { ...shortening, agentsWithOutcomes: agents }, null],
    ["a budget", { findings: [finding] }, null],
    ["a budget beyond those of the tier", { findings: [finding], mayAddBudget: false }, "tier"],
    [
      "an idle agent to pause",
      { findings: [{ ...finding, check: "idle_agents" }], mayAddBudget: false },
      null,
    ],
  ])("LOOP-012 %s", (_, change, reason) => {
    const drafts = draftProposals({ ...none, ...change });
    expect(drafts.map(({ blockedReason }) => blockedReason)).toEqual([reason]);
  });

  it.each<[string, Grounds["verdicts"][number], ProposalSource, BlockedReason | null]>([
    ["every agent and these two models", verdictOn("openai/dear", null), "suggestion", null],
    ["every agent and another model of now", verdictOn("dearer", null), "suggestion", "no_verdict"],
    ["every agent, and it degrades", verdictOn("dear", null, "degrades"), "suggestion", "verdict_degrades"],
    [
      "every agent, and it degrades another model of now",
      verdictOn("dearer", null, "degrades"),
      "suggestion",
      "no_verdict",
    ],
    ["this agent and these two models", verdictOn("dear", AGENT), "verdict", null],
    [
      "this agent and the model that it called before",
      verdictOn("dearer", AGENT),
      "suggestion",
      "no_verdict",
    ],
  ])("LOOP-012 a switch with a verdict about %s", (_, verdict, source, reason) => {
    const drafts = draftProposals({ ...none, ...switching, verdicts: [verdict] });
    const own = drafts.filter(({ agentId }) => agentId === AGENT);
    expect(own.map(draft => [draft.source, draft.blockedReason])).toEqual([[source, reason]]);
  });
});
