import type { Mode } from "@tollgate/core/event";
import type { ServedUnder } from "@tollgate/core/pricing/service-conditions";
import type { ProviderId } from "@tollgate/core/provider-id";

/**
 * What is known of a call before it is sent, on disk before the provider hears of it. If we die, the next start
 * makes the call's one event from this alone.
 */
export interface Intent {
  /** The id of the event to be. */
  readonly id: string;
  readonly org_id: string;
  readonly mode: Mode;
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
  readonly max_output_tokens: number | null;
  /** Only where the request asks for another service than the list price's. */
  readonly asked_service?: ServedUnder | undefined;
  /** Only where budgets have something to say about the call (`budget-flags.ts`). */
  readonly budget_flags?: readonly string[] | undefined;
  /** Only of a call that strict budgets bound: its worst case, which they withhold if nobody learns the true cost. */
  readonly worst_microcents?: number | undefined;
  readonly strict_budgets?: readonly { readonly id: string; readonly since: number }[] | undefined;
  /** Only of a call in an experiment. */
  readonly experiment_id?: string | undefined;
  readonly arm?: string | undefined;
  /** Only where the client sent a valid one. */
  readonly traceparent?: string | undefined;
  /** Only where the client sent one. */
  readonly config_version?: string | undefined;
}
