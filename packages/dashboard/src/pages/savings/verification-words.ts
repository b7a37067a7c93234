import type { EvidenceMode, RequestEndReason } from "@tollgate/core/verification/vocabulary";

export const modeTitles: Readonly<Record<EvidenceMode, string>> = {
  shadow: "Calls answered again by the candidate",
  experiment: "An experiment with outcomes",
  captured: "Pairs that you grade yourself",
};

export const endReasonTitles: Readonly<Record<RequestEndReason, string>> = {
  verdict: "verdict",
  cancelled: "cancelled",
  max_pairs: "all pairs used",
  time: "time is up",
  spend: "maximum spend reached",
  experiment: "experiment ended",
  served_model_changed: "a model changed",
  switched_meanwhile: "agent was switched",
  judge_noise: "judge is biased",
};
