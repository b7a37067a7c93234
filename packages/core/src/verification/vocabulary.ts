/** Where the pairs of a verification come from. A verdict names its mode; modes are never mixed. */
export const evidenceModes = [
  "shadow", // production calls, answered a second time by the candidate
  "experiment", // an experiment of the same agent and models, with outcomes
  "captured", // pairs that the organization graded itself
] as const;
export type EvidenceMode = (typeof evidenceModes)[number];

export const requestStatuses = ["queued", "collecting", "concluded", "voided", "expired"] as const;
export type RequestStatus = (typeof requestStatuses)[number];

export const trialStatuses = ["registered", "concluded", "voided"] as const;
export type TrialStatus = (typeof trialStatuses)[number];

export const verdictNames = ["holds", "holds_with_warning", "degrades"] as const;
export type VerdictName = (typeof verdictNames)[number];
