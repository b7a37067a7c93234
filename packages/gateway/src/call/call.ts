import type { RateLimitHeaders } from "@tollgate/core/limits/rate-limit-answer";
import type { Assignment, Target } from "@tollgate/core/steering";
import type { JsonObject } from "@tollgate/core/wire/json-fields";
import type { Dialect, RequestSummary } from "@tollgate/providers/dialect";
import type { Exchange, SteeredPlan } from "@tollgate/providers/exchange";
import type { Provider } from "@tollgate/providers/provider";
import type { Caller } from "@tollgate/storage/config/directory";
import type { Hold } from "../budgets/hold.ts";
import type { PairCall } from "./pair-call.ts";

/** A path that takes calls, and the dialect spoken there. */
export interface Endpoint {
  readonly path: string;
  readonly dialect: Dialect;
  /** A query such as `?beta=true` goes along to the provider. */
  readonly forwardsQuery: boolean;
  /** Where clients of this endpoint name their session by themselves, for calls without `X-Session-ID`. */
  readonly sessionHeaders: readonly string[];
}

/** The caller, and the tags of the call. */
export interface Identified {
  readonly caller: Caller;
  readonly providerKey: string;
  readonly agentKey: string;
  readonly sessionId: string | null;
  readonly customerId: string | null;
  readonly configVersion: string | null;
  /** Of the client's trace, if the call is part of one. */
  readonly traceparent: string | null;
  /** null: a client's own call. */
  readonly pair: PairCall | null;
}

export interface Parsed {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly body: JsonObject;
  readonly summary: RequestSummary;
}

/** How its agent's rules change a call. */
interface Steering {
  readonly asked: Target;
  /** Of the provider that the call goes to. */
  readonly providerKey: string;
  readonly plan: SteeredPlan;
  readonly assignment: Assignment | null;
  readonly isSwitchSkipped: boolean;
}

export interface Routed extends Parsed {
  /** What the bytes say: `body`, unless the call was steered. */
  readonly source: JsonObject;
  readonly provider: Provider;
  /** The bare name, as the provider knows it. */
  readonly model: string;
  readonly exchange: Exchange;
  /** null for nearly every call: its agent has no rules. */
  readonly steering: Steering | null;
}

/** An admitted, journalled call. From here on it ends in exactly one event. */
export interface Call extends Identified, Routed {
  readonly id: string;
  readonly endpoint: Endpoint;
  /** Epoch milliseconds of admission. */
  readonly createdAtMs: number;
  /** The same moment on the monotonic clock. */
  readonly startedAtMs: number;
  readonly requestHash: string;
  readonly prefixHash: string | null;
  readonly clientHeaders: Headers;
  /** What it has reserved; null where no budget applies. */
  readonly hold: Hold | null;
  /** `RateLimit-*`, for every answer to this call. */
  readonly limitHeaders: RateLimitHeaders;
}
