/** Changes whenever the computation of a report's numbers changes. */
export const METHODOLOGY_VERSION = "2026-11-2";

export const methodology: readonly string[] = [
  "Amounts are micro-dollars: $1 is 1,000,000. Costs are summed in microcents and rounded once.",
  "Measured spend is the ledger's cost of all calls of the period, with the adjustments of reratings. Calls of unknown cost are counted apart and are in no sum.",
  "Attributed savings compare what a switched call cost with the same tokens at the prices of the model that was asked for. Failed calls are left out.",
  "Verified savings count only switches that an unexpired verdict backs: its mean paired saving per call times the switched calls, at most what is attributed to those calls, with its 95 % t interval by session. They are a part of the attributed savings and are never added to them.",
  "A verdict is reached by an anytime-valid test of non-inferiority, registered before its first pair: the mean score of pairs of answers, from -1 (clearly worse) to 1 (clearly better), with a betting confidence sequence.",
  "Budgets of the organization and of agents show the period that was running when the report was made.",
  "The report was frozen when it was made. Its hash is the SHA-256 of its canonical JSON (RFC 8785).",
];
