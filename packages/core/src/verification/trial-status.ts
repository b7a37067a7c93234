const voidReasons = [
  "cancelled",
  "expired", // time or spend was over before there were enough pairs
  "served_model_changed", // a model's served name changed: it is no longer the same model
  "switched_meanwhile", // the agent was switched, so the calls are no longer the production model's
  "judge_noise", // controls show that the judge prefers one of two samples of the same model
] as const;

export type VoidReason = (typeof voidReasons)[number];
