/** Agents of the sample traffic with active experiments or optimizations, shared by the traffic and the settings. */
import { DAY_MS } from "@tollgate/core/time/durations";

/** The bench's own clock starts here, so that a prepared directory stays valid. */
export const END = Date.parse("2026-11-15T12:34:56.789Z");

export interface StagedExperiment {
  readonly id: string;
  readonly agentKey: string;
  readonly metric: "cost_per_call" | "latency_p95" | "error_rate" | "quality_score";
  readonly from: number;
  readonly to: number;
}

const experiment = (
  agent: number,
  metric: StagedExperiment["metric"],
  daysAgo: number,
  days: number,
): StagedExperiment => ({
  id: `5e1f0000-0000-7000-8000-0000000000${agent.toString(16).padStart(2, "0")}`,
  agentKey: `agent-${agent}`,
  metric,
  from: END - daysAgo * DAY_MS,
  to: END - daysAgo * DAY_MS + days * DAY_MS,
});

/** Three are running; two are past their end, and the control plane ends them. */
export const stagedExperiments: readonly StagedExperiment[] = [
  experiment(3, "cost_per_call", 25, 30),
  experiment(4, "latency_p95", 20, 30),
  experiment(5, "quality_score", 25, 30),
  experiment(6, "error_rate", 60, 20),
  experiment(7, "quality_score", 50, 14),
];

export const TREATMENT_MODEL = "gpt-4.1-mini";

/** Its calls still request the original model, and are sent to another one. */
export const switched = { agentKey: "agent-8", model: "gpt-4.1-mini", from: END - 30 * DAY_MS } as const;
export const cachedAgent = "agent-9";
export const boundedAgent = "agent-10";
