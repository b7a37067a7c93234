export const experimentStatuses = ["running", "paused", "completed", "cancelled"] as const;
/** The metrics that can decide an experiment. */
export const primaryMetrics = [
  "cost_per_call",
  "latency_p50",
  "latency_p95",
  "error_rate",
  "quality_score",
] as const;
export type PrimaryMetric = (typeof primaryMetrics)[number];

export const endReasons = ["stopped", "duration"] as const;
export type EndReason = (typeof endReasons)[number];

/** The percentage of the agent's calls that goes to the treatment. */
export const TRAFFIC_PCT = { min: 1, max: 50, default: 10 } as const;
export const DURATION_DAYS = { min: 1, max: 30, default: 14 } as const;
