import type { TrialStatus } from "./vocabulary.ts";

export const voidReasons = [
  "cancelled",
  "expired", // time or spend was over before there were enough pairs
  "served_model_changed", // a model answered under another name than before: it is not the same model any more
  "switched_meanwhile", // the agent was switched, so the calls are not the production model's any more
  "judge_noise", // controls show that the judge prefers one of two samples of the same model
] as const;

export type VoidReason = (typeof voidReasons)[number];

/** A trial ends once. What was concluded or voided stays so: a better result needs a trial of its own. */
export function mayBecome(from: TrialStatus, to: TrialStatus): boolean {
  return from === "registered" && to !== "registered";
}
