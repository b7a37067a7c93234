import type { ModelFacts } from "../models/model-facts.ts";
import type { ProfileSums } from "../profile/profile-sums.ts";
import type { OptimizationType } from "./suggestion-types.ts";

/** The fields of an agent's profile that suggestions need. */
type SumsInUse =
  | "calls"
  | "errors"
  | "error_cost_microcents"
  | "retry_calls"
  | "input_tokens"
  | "uncached_input_tokens"
  | "cache_read_tokens"
  | "cache_write_tokens"
  | "cache_write_1h_tokens"
  | "output_tokens"
  | "cost_microcents"
  | "short_calls"
  | "cacheable_calls"
  | "cacheable_tokens"
  | "cacheable_5m_calls"
  | "cacheable_5m_tokens"
  | "cacheable_5m_start_tokens"
  | "oversized_calls"
  | "oversized_tokens"
  | "sessions"
  | "grown_calls"
  | "grown_tokens";

/** How an agent used one model within the period: the sums of its profile, and the model's facts. */
export interface ModelObservation extends Pick<ProfileSums, SumsInUse> {
  readonly provider: string;
  readonly model: string;
  /** null: the price is unknown, so nothing can be computed. */
  readonly facts: ModelFacts | null;
  readonly max_input_tokens: number;
  readonly max_output_tokens: number;
  /** Successful calls by output tokens, shortest first: under `below` tokens; null: the last, open-ended range. */
  readonly outputs: readonly { readonly below: number | null; readonly calls: number }[];
}

export interface AgentObservation {
  readonly agentId: string;
  /** Safe to quote in a sentence. */
  readonly name: string;
  /** The agent's metadata says that its answers can wait. */
  readonly isBackground: boolean;
  readonly isArchived: boolean;
  /** UTC days since it was first seen within the period, at least one; monthly amounts are scaled by this. */
  readonly observedDays: number;
  /** Days since its last call; null: no calls. */
  readonly silentDays: number | null;
  /** Most expensive first. */
  readonly models: readonly ModelObservation[];
  /** Optimizations that the gateway already applies. */
  readonly appliedOptimizations: ReadonlyMap<OptimizationType, Readonly<Record<string, unknown>>>;
  /** Models whose answers are worse for this agent, by a verdict that is still valid or because a switch was undone. */
  readonly worseModels: ReadonlySet<string>;
}

export function total(agent: AgentObservation, of: (model: ModelObservation) => number): number {
  return agent.models.reduce((sum, model) => sum + of(model), 0);
}
