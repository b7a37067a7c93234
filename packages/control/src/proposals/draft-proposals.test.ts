import { describe, expect, it } from "bun:test";
import type { BlockedReason } from "@tollgate/core/decisions/vocabulary";
import type { Finding } from "@tollgate/core/leaks/finding";
import { microcents } from "@tollgate/core/money/money";
import type { Suggestion } from "@tollgate/core/suggestions/suggestion";
import { draftProposals, type Grounds } from "./draft-proposals.ts";

const AGENT = "agent";
const none: Grounds = {
  now: 0,
  suggestions: [],
  findings: [],
  verdicts: [],
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
    evidence: {},
    caveat: null,
    one_click: true,
    implementation: { endpoint: "", payload: { optimization_type: type, payload } },
  };
}
const switching = { suggestions: [suggested("model_switch", { model: "cheap" })] };
const shortening = { suggestions: [suggested("token_guardrails", { max_output_tokens: 100 })] };
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
});
