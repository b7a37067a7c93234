import { type Envelope, toEnvelope } from "@tollgate/core/contract/fields/envelope";
import { verdictResult } from "@tollgate/core/contract/verification";
import type { BlockedReason, ProposalAction, ProposalSource } from "@tollgate/core/decisions/vocabulary";
import type { Finding } from "@tollgate/core/leaks/finding";
import { MICROCENTS_PER_CENT } from "@tollgate/core/money/money";
import type { Suggestion } from "@tollgate/core/suggestions/suggestion";
import { isOptimizationType } from "@tollgate/core/suggestions/suggestion-types";
import { freshness } from "@tollgate/core/verification/verdict";
import type { StoredRow } from "@tollgate/storage/database/schema";

/** The content of a proposal, computed each time; `key` identifies its subject. */
export interface ProposalDraft {
  readonly key: string;
  readonly source: ProposalSource;
  /** The kind of suggestion, the leak check, or the verdict's id. */
  readonly sourceId: string;
  readonly agentId: string | null;
  readonly action: ProposalAction;
  readonly blockedReason: BlockedReason | null;
  readonly impact: Envelope;
  /** For the gateway; never shown. */
  readonly payload: Readonly<Record<string, unknown>>;
}

export interface Grounds {
  readonly now: number;
  readonly suggestions: readonly Suggestion[];
  readonly findings: readonly Finding[];
  /** Over all categories, newest first. */
  readonly verdicts: readonly StoredRow<"verdicts">[];
  /** The catalogue's name of a model, as in the evidence of suggestions: snapshots have their model's. */
  readonly listedName: (model: string) => string;
  readonly agentsWithExperiment: ReadonlySet<string>;
  /** Agents with too few calls for a verdict within the time limit of a trial. */
  readonly agentsWithFewCalls: ReadonlySet<string>;
  /** Agents whose outcomes report success or failure. */
  readonly agentsWithOutcomes: ReadonlySet<string>;
  /** Whether the organization's tier allows another budget. */
  readonly mayAddBudget: boolean;
}

/** One draft per possible change: a verdict takes precedence over a suggestion, and that over a leak check. */
export function draftProposals(grounds: Grounds): ProposalDraft[] {
  const drafts = new Map<string, ProposalDraft>();
  const switched = new Set<string>();
  const add = (draft: ProposalDraft) => {
    if (!drafts.has(draft.key)) drafts.set(draft.key, draft);
    if (draft.action === "model_switch" && draft.agentId !== null) switched.add(draft.agentId);
  };
  for (const verdict of grounds.verdicts) {
    if (stateOf(verdict, grounds.now) === "verdict_expired" || isOutdated(verdict, grounds)) continue;
    add(ofVerdict(verdict, grounds));
  }
  for (const suggestion of grounds.suggestions) add(ofSuggestion(suggestion, grounds));
  for (const finding of grounds.findings) {
    const draft = ofFinding(finding, grounds);
    // The suggestion or the verdict has the model.
    if (draft.action === "model_switch" && finding.agentId !== null && switched.has(finding.agentId))
      continue;
    add(draft);
  }
  return [...drafts.values()];
}

/** The agent now calls another model than the verdict is about, and nothing is known about a switch from that one. */
function isOutdated(verdict: StoredRow<"verdicts">, { suggestions, listedName }: Grounds): boolean {
  return suggestions.some(suggestion => {
    const current = currentModelOf(suggestion);
    return (
      suggestion.agent_id === verdict.agent_id &&
      modelOf(suggestion) === verdict.candidate_model &&
      current !== null &&
      current !== listedName(verdict.prod_model)
    );
  });
}

function ofVerdict(verdict: StoredRow<"verdicts">, grounds: Grounds): ProposalDraft {
  const { savings } = verdictResult.parse(JSON.parse(verdict.result));
  return {
    key: keyOf("model_switch", verdict.agent_id, verdict.candidate_model),
    source: "verdict",
    sourceId: verdict.id,
    agentId: verdict.agent_id,
    action: "model_switch",
    blockedReason: whySwitchIsBlocked(
      verdict.agent_id,
      { from: grounds.listedName(verdict.prod_model), to: verdict.candidate_model },
      grounds,
    ),
    impact: savings.per_month_microcents,
    payload: { model: verdict.candidate_model },
  };
}

function ofSuggestion(suggestion: Suggestion, grounds: Grounds): ProposalDraft {
  const { type, agent_id: agentId, implementation } = suggestion;
  const action =
    implementation !== null && isOptimizationType(type)
      ? type
      : type === "idle_agents"
        ? "pause_agent"
        : "advice";
  const payload = implementation?.payload.payload ?? {};
  const model = modelOf(suggestion);
  return {
    key: keyOf(action, agentId, action === "advice" ? type : model),
    source: "suggestion",
    sourceId: type,
    agentId,
    action,
    blockedReason: whyBlocked(action, agentId, { from: currentModelOf(suggestion), to: model }, grounds),
    impact: sum(Math.round(suggestion.impact_monthly_cents * MICROCENTS_PER_CENT), grounds.now),
    payload,
  };
}

/** The model that a suggestion switches to; null: it switches to none. */
function modelOf({ implementation }: Suggestion): string | null {
  const model = implementation?.payload.payload.model;
  return typeof model === "string" ? model : null;
}

function currentModelOf({ evidence }: Suggestion): string | null {
  return typeof evidence.current_model === "string" ? evidence.current_model : null;
}

/** null: not known. */
interface ModelSwitch {
  readonly from: string | null;
  readonly to: string | null;
}

const actionsOfChecks: Readonly<Record<Finding["check"], ProposalAction>> = {
  idle_agents: "pause_agent",
  model_overprovisioning: "model_switch",
  cross_provider_arbitrage: "model_switch",
  missing_caching: "prompt_caching",
  missing_budgets: "budget",
  high_error_rates: "advice",
  context_bloat: "advice",
};

function ofFinding({ check, agentId, wasteMonthly }: Finding, grounds: Grounds): ProposalDraft {
  const action = actionsOfChecks[check];
  return {
    key: keyOf(action, agentId, action === "advice" ? check : null),
    source: "leak_check",
    sourceId: check,
    agentId,
    action,
    blockedReason: whyBlocked(action, agentId, { from: null, to: null }, grounds),
    impact: sum(wasteMonthly, grounds.now),
    payload: {},
  };
}

function keyOf(action: ProposalAction, agentId: string | null, about: string | null): string {
  return [action, agentId ?? "organization", ...(about === null ? [] : [about])].join(":");
}

function sum(microcents: number, now: number): Envelope {
  return toEnvelope({ method: "sum", value: microcents }, now);
}

function whyBlocked(
  action: ProposalAction,
  agentId: string | null,
  models: ModelSwitch,
  grounds: Grounds,
): BlockedReason | null {
  switch (action) {
    case "model_switch":
      return whySwitchIsBlocked(agentId, models, grounds);
    case "token_guardrails":
      // No verdict is about the length of answers: only outcomes would show that shorter ones are worse.
      return agentId !== null && grounds.agentsWithOutcomes.has(agentId) ? null : "missing_outcomes";
    case "budget":
      return grounds.mayAddBudget ? null : "tier";
    default:
      return null;
  }
}

/** A model switch may change answers, so a verdict on these two models must hold. */
function whySwitchIsBlocked(
  agentId: string | null,
  { from, to }: ModelSwitch,
  { agentsWithExperiment, agentsWithFewCalls, verdicts, listedName, now }: Grounds,
): BlockedReason | null {
  if (agentId !== null && agentsWithExperiment.has(agentId)) return "experiment_running";
  const verdict = verdicts.find(
    one =>
      one.candidate_model === to &&
      listedName(one.prod_model) === from &&
      (one.agent_id === null || one.agent_id === agentId),
  );
  if (verdict !== undefined) return stateOf(verdict, now);
  return agentId !== null && agentsWithFewCalls.has(agentId) ? "insufficient_volume" : "no_verdict";
}

function stateOf(verdict: StoredRow<"verdicts">, now: number): BlockedReason | null {
  const isOver = freshness({ expires_at_ms: verdict.expires_at }, now) === "expired";
  if (verdict.invalidated_at !== null || isOver) return "verdict_expired";
  return verdict.verdict === "degrades" ? "verdict_degrades" : null;
}
