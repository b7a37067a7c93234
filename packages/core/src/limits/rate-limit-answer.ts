import { fail, type TollgateError } from "../errors.ts";

export interface RateLimitHeaders {
  readonly "ratelimit-limit": string;
  readonly "ratelimit-remaining": string;
  readonly "ratelimit-reset": string;
}

export interface RateLimitState {
  readonly limit: number;
  readonly current: number;
  /** Epoch milliseconds. */
  readonly resetAtMs: number;
}

/** Takes plain arguments instead of an object, because the gateway calls it for every call. */
export function rateLimitHeaders(
  limit: number,
  current: number,
  resetAtMs: number,
  nowMs: number,
): RateLimitHeaders {
  return {
    "ratelimit-limit": String(limit),
    "ratelimit-remaining": String(Math.max(0, limit - current)),
    "ratelimit-reset": String(Math.ceil((resetAtMs - nowMs) / 1000)),
  };
}

/** The 429 of a rate limit, with the body from the specification. */
export function rateLimitReached(
  code: "rate_limited" | "monthly_limit",
  sentence: string,
  state: RateLimitState,
  nowMs: number,
): TollgateError {
  const retryAfter = Math.max(1, Math.ceil((state.resetAtMs - nowMs) / 1000));
  return fail(
    code,
    sentence,
    {
      limit: state.limit,
      current: state.current,
      reset_at: new Date(state.resetAtMs).toISOString(),
      retry_after: retryAfter,
    },
    {
      ...rateLimitHeaders(state.limit, state.current, state.resetAtMs, nowMs),
      "retry-after": String(retryAfter),
    },
  );
}
