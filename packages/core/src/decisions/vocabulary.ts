/** The subject of a change that affects the gateway. */
export const actuationTypes = [
  "model_switch",
  "token_guardrails",
  "prompt_caching",
  "budget",
  "pause_agent",
  "experiment",
] as const;
export type ActuationType = (typeof actuationTypes)[number];

export const actionClasses = [
  "configuration", // how calls are made
  "policy", // whether calls are made
  "advice", // nothing that the gateway does
] as const;
export type ActionClass = (typeof actionClasses)[number];

const classes: Readonly<Record<ActuationType, ActionClass>> = {
  model_switch: "configuration",
  token_guardrails: "configuration",
  prompt_caching: "configuration",
  experiment: "configuration",
  budget: "policy",
  pause_agent: "policy",
};

export function actionClassOf(type: ActuationType): ActionClass {
  return classes[type];
}

export const actuationChanges = [
  "apply",
  "undo",
  "create",
  "update",
  "delete",
  "start",
  "stop",
  "pause",
  "resume",
] as const;
export type ActuationChange = (typeof actuationChanges)[number];

/** By what authority a change was made. */
export const authorities = [
  "operator", // a signed-in member
  "api_key",
  "experiment", // it promoted its winner, or its time was over
  "threshold", // an alert threshold whose action is to pause the agent
  "breaker", // a model switch made calls worse
] as const;
export type Authority = (typeof authorities)[number];

export const rollbackReasons = [
  "undone", // by a person or a key
  "resumed",
  "error_rate", // the breaker: more calls fail
  "latency", // the breaker: calls are slower
  "outcomes", // the breaker: fewer outcomes succeed
] as const;
export type RollbackReason = (typeof rollbackReasons)[number];

/** What the breaker does about a model switch. */
export const breakerStates = [
  "watching",
  "off", // for this agent
  "tripped", // it undid the switch
  "over", // a day has passed, the switch was undone by somebody else, or another one replaced it
] as const;
export type BreakerState = (typeof breakerStates)[number];

export const acknowledgements = ["not_required", "pending", "acknowledged"] as const;

/** Nobody requested what the breaker did, so somebody has to acknowledge it. */
export function needsAcknowledgement(authority: Authority): boolean {
  return authority === "breaker";
}

export const proposalActions = [
  "model_switch",
  "token_guardrails",
  "prompt_caching",
  "budget",
  "pause_agent",
  "advice",
] as const;
export type ProposalAction = (typeof proposalActions)[number];

export const decisionClasses = [
  "D0", // advice: nothing changes
  "D1", // reversible within a second, and harmless to answers
  "D2", // reversible, but answers may change
  "D3", // stops work: always a person's decision
] as const;
export type DecisionClass = (typeof decisionClasses)[number];

export const proposalStatuses = [
  "open",
  "blocked",
  "approved",
  "applied",
  "dismissed",
  "superseded", // another change of the same kind is proposed or in force for the agent
  "expired", // nothing supports it any longer
] as const;
export type ProposalStatus = (typeof proposalStatuses)[number];

export const blockedReasons = [
  "no_verdict",
  "verdict_degrades",
  "verdict_expired",
  "insufficient_volume",
  "missing_outcomes",
  "experiment_running",
  "tier",
  "snoozed",
] as const;
export type BlockedReason = (typeof blockedReasons)[number];

export const proposalSources = ["suggestion", "leak_check", "verdict"] as const;
export type ProposalSource = (typeof proposalSources)[number];

export const levers = ["model", "output_length", "prompt_cache", "budget", "agent", "practice"] as const;
export const proposalScopes = ["agent", "organization"] as const;
export const risks = ["none", "low", "medium", "high"] as const;
export const reversibilities = ["nothing_to_undo", "within_a_second", "by_a_person"] as const;

interface ActionTraits {
  readonly actionClass: ActionClass;
  readonly decisionClass: DecisionClass;
  readonly lever: (typeof levers)[number];
  readonly risk: (typeof risks)[number];
  readonly reversibility: (typeof reversibilities)[number];
}

const traits: Readonly<Record<ProposalAction, ActionTraits>> = {
  model_switch: {
    actionClass: "configuration",
    decisionClass: "D2",
    lever: "model",
    risk: "medium",
    reversibility: "within_a_second",
  },
  token_guardrails: {
    actionClass: "configuration",
    decisionClass: "D2",
    lever: "output_length",
    risk: "medium",
    reversibility: "within_a_second",
  },
  prompt_caching: {
    actionClass: "configuration",
    decisionClass: "D1",
    lever: "prompt_cache",
    risk: "low",
    reversibility: "within_a_second",
  },
  budget: {
    actionClass: "policy",
    decisionClass: "D1",
    lever: "budget",
    risk: "low",
    reversibility: "within_a_second",
  },
  pause_agent: {
    actionClass: "policy",
    decisionClass: "D3",
    lever: "agent",
    risk: "high",
    reversibility: "by_a_person",
  },
  advice: {
    actionClass: "advice",
    decisionClass: "D0",
    lever: "practice",
    risk: "none",
    reversibility: "nothing_to_undo",
  },
};

export function traitsOf(action: ProposalAction): ActionTraits {
  return traits[action];
}
