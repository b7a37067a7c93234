/** The source of a verification's pairs. A verdict names its mode; modes are never mixed. */
export const evidenceModes = [
  "shadow", // production calls, answered again by the candidate
  "experiment", // an experiment of the same agent and models, with outcomes
  "captured", // pairs graded by the organization itself
] as const;
export type EvidenceMode = (typeof evidenceModes)[number];

export const requestStatuses = ["queued", "collecting", "concluded", "voided", "expired"] as const;

/** A trial ends once. A conclusion is final: a better result needs another trial. */
export const trialStatuses = ["registered", "concluded", "voided"] as const;

export const verdictNames = ["holds", "holds_with_warning", "degrades"] as const;
export type VerdictName = (typeof verdictNames)[number];

/** Why a request ended. */
export const requestEndReasons = [
  "verdict",
  "cancelled",
  "max_pairs", // all pairs of the plan are used up without a result
  "time", // the last day of the plan is over
  "spend", // the remainder could not pay for two more pairs, or for the worst case of one
  "experiment", // the experiment has ended without a result
  "served_model_changed", // a model answered under another name than before: it is not the same model any more
  "switched_meanwhile", // the agent was switched, so its calls are no longer production's
  "judge_noise", // controls show that the judge prefers one of two samples of the same model
] as const;
export type RequestEndReason = (typeof requestEndReasons)[number];
