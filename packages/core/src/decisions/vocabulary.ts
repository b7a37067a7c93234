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

export const acknowledgements = ["not_required", "pending", "acknowledged"] as const;

/** Nobody requested what the breaker did, so somebody has to acknowledge it. */
export function needsAcknowledgement(authority: Authority): boolean {
  return authority === "breaker";
}
