import type { Mode, PairMark } from "@tollgate/core/event";
import type { ServedUnder } from "@tollgate/core/pricing/service-conditions";
import type { ProviderId } from "@tollgate/core/provider-id";

/**
 * What is known about a call, written before the provider gets it. After a crash, the next start creates the call's one
 * event from this alone.
 */
export interface Intent {
  /** The id of the future event. */
  readonly id: string;
  readonly org_id: string;
  readonly mode: Mode;
  /** Absent for calls of a verification, and in intents of an older version. */
  readonly key_id?: string | undefined;
  readonly created_at: number;
  readonly endpoint: string;
  readonly stream: boolean;
  readonly agent_key: string;
  readonly session_id: string | null;
  readonly customer_id: string | null;
  readonly provider: ProviderId;
  readonly model: string;
  readonly requested_model: string;
  readonly request_hash: string | null;
  readonly prefix_hash: string | null;
  readonly prompt_bytes: number;
  /** Only if the prompt contains or references more than text (`core/pricing/prompt-size.ts`). */
  readonly prompt_media_tokens?: number | undefined;
  readonly prompt_audio_tokens?: number | undefined;
  /** Only if the request marks its prompt for the cache. */
  readonly prompt_cache_write?: "cache_write" | "cache_write_1h" | undefined;
  readonly max_output_tokens: number | null;
  /** Only if more than one was requested. */
  readonly choices?: number | undefined;
  /** Only if the request asks the model to think; whether it does so by itself is known from its name. */
  readonly thinks?: true | undefined;
  /** Only if the request asks for a service tier other than the list price's. */
  readonly asked_service?: ServedUnder | undefined;
  /** Only if a budget flags the call (`core/budgets/flags.ts`). */
  readonly budget_flags?: readonly string[] | undefined;
  /** Only for calls bounded by strict budgets: the worst case, which they withhold if the true cost stays unknown. */
  readonly worst_microcents?: number | undefined;
  readonly strict_budgets?: readonly { readonly id: string; readonly since: number }[] | undefined;
  /** Only for calls in an experiment. */
  readonly experiment_id?: string | undefined;
  readonly arm?: string | undefined;
  /** Only if the client sent a valid one. */
  readonly traceparent?: string | undefined;
  /** Only if the client sent one. */
  readonly config_version?: string | undefined;
  /** Only for calls of a verification. */
  readonly source?: "shadow" | "judge" | undefined;
  readonly pair?: PairMark | undefined;
}
