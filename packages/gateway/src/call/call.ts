import type { RateLimitHeaders } from "@tollgate/core/limits/rate-limit-answer";
import type { Hold } from "../budgets/hold.ts";
import type { Endpoint, Identified, Routed } from "../request/routed.ts";

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
  /** The call's reservations; null if no budget applies. */
  readonly hold: Hold | null;
  /** `RateLimit-*`, for every answer to this call. */
  readonly limitHeaders: RateLimitHeaders;
}
