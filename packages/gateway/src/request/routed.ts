import type { Assignment, Target } from "@tollgate/core/steering";
import type { JsonObject } from "@tollgate/core/wire/json-fields";
import type { Dialect, RequestSummary } from "@tollgate/providers/dialect";
import type { Exchange, SteeredPlan } from "@tollgate/providers/exchange";
import type { Provider } from "@tollgate/providers/provider";
import type { GatewayCaller } from "@tollgate/storage/config/directory";
import type { PairCall } from "./pair-call.ts";

/** What is known about a call before it is admitted. */

/** A path that accepts calls, and its dialect. */
export interface Endpoint {
  readonly path: string;
  readonly dialect: Dialect;
  /** Whether a query such as `?beta=true` is forwarded to the provider. */
  readonly forwardsQuery: boolean;
  /** Headers in which clients of this endpoint send their own session id, for calls without `X-Session-ID`. */
  readonly sessionHeaders: readonly string[];
}

/** The caller and the call's tags. */
export interface Identified {
  readonly caller: GatewayCaller;
  readonly providerKey: string;
  readonly agentKey: string;
  readonly sessionId: string | null;
  readonly customerId: string | null;
  readonly configVersion: string | null;
  /** The client's trace, if the call is part of one. */
  readonly traceparent: string | null;
  /** null: a client's own call. */
  readonly pair: PairCall | null;
}

export interface Parsed {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly body: JsonObject;
  readonly summary: RequestSummary;
}

/** How the agent's rules change a call. */
interface Steering {
  readonly asked: Target;
  /** The key for the provider that the call goes to. */
  readonly providerKey: string;
  readonly plan: SteeredPlan;
  readonly assignment: Assignment | null;
  readonly isSwitchSkipped: boolean;
}

export interface Routed extends Parsed {
  /** The parsed bytes: `body`, unless the call was steered. */
  readonly source: JsonObject;
  readonly provider: Provider;
  /** The bare name, without a provider prefix. */
  readonly model: string;
  readonly exchange: Exchange;
  /** null for nearly every call: the agent has no rules. */
  readonly steering: Steering | null;
}
