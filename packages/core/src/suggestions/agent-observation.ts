import type { ModelFacts } from "../models/model-facts.ts";
import type { OptimizationType } from "./suggestion-types.ts";

/** How an agent used one model within the period; the sums of its profile, and what is known of the model. */
export interface ModelObservation {
  readonly provider: string;
  readonly model: string;
  /** null: no price is known, so nothing can be said in money. */
  readonly facts: ModelFacts | null;
  readonly calls: number;
  readonly errors: number;
  readonly error_cost_microcents: number;
  readonly retry_calls: number;
  readonly input_tokens: number;
  readonly uncached_input_tokens: number;
  readonly cache_read_tokens: number;
  readonly cache_write_tokens: number;
  readonly cache_write_1h_tokens: number;
  readonly output_tokens: number;
  readonly cost_microcents: number;
  /** Succeeded with an answer under 100 tokens. */
  readonly short_calls: number;
  /** Prompts that begin like one before, without a cache: within an hour, and within five minutes. */
  readonly cacheable_calls: number;
  readonly cacheable_tokens: number;
  readonly cacheable_5m_calls: number;
  readonly cacheable_5m_tokens: number;
  readonly cacheable_5m_start_tokens: number;
  readonly oversized_calls: number;
  readonly oversized_tokens: number;
  readonly sessions: number;
  readonly grown_calls: number;
  readonly grown_tokens: number;
  readonly max_input_tokens: number;
  readonly max_output_tokens: number;
  /** Calls that succeeded by output tokens, shortest first: under `below` tokens; null: the last, without an end. */
  readonly outputs: readonly { readonly below: number | null; readonly calls: number }[];
}

export interface AgentObservation {
  readonly agentId: string;
  /** Fit to stand in a sentence. */
  readonly name: string;
  /** Somebody has said that nobody waits for its answers. */
  readonly isBackground: boolean;
  readonly isArchived: boolean;
  /** Days since its first call within the period, one at least: what a month is reckoned from. */
  readonly observedDays: number;
  /** Days since its last call; null: it never called. */
  readonly silentDays: number | null;
  /** The dearest first. */
  readonly models: readonly ModelObservation[];
  /** What the gateway already does for it. */
  readonly inForce: ReadonlyMap<OptimizationType, Readonly<Record<string, unknown>>>;
}

export function total(agent: AgentObservation, of: (model: ModelObservation) => number): number {
  return agent.models.reduce((sum, model) => sum + of(model), 0);
}
