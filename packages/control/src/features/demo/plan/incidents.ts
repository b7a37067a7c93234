import type { ProviderId } from "@tollgate/core/provider-id";
import { DAY_MS, MINUTE_MS } from "@tollgate/core/time/durations";
import type { Draw } from "./draw.ts";

/** A failure as the gateway would have recorded it. */
export interface Failure {
  readonly status: "error" | "timeout";
  readonly errorCode: string;
  readonly latencyMs: readonly [least: number, most: number];
}

const rateLimit: Failure = { status: "error", errorCode: "rate_limit_exceeded", latencyMs: [60, 300] };
const overload: Failure = { status: "error", errorCode: "overloaded_error", latencyMs: [200, 2500] };
const serverError: Failure = { status: "error", errorCode: "server_error", latencyMs: [300, 4000] };
const timeout: Failure = { status: "timeout", errorCode: "provider_timeout", latencyMs: [60_000, 60_000] };

/** A time during which most calls to one provider fail. */
export interface Incident {
  readonly provider: ProviderId;
  readonly fromMs: number;
  readonly toMs: number;
  readonly chance: number;
  readonly failures: readonly [Failure, ...Failure[]];
  /** Sessions that begin in it, besides the usual ones. */
  readonly sessions: number;
}

/** The last one is within the past hour, so that an alert about it is open. */
export function planIncidents(nowMs: number, draw: Draw): Incident[] {
  const incident = (
    provider: ProviderId,
    daysAgo: number,
    minutes: number,
    failures: Incident["failures"],
  ): Incident => {
    const fromMs = nowMs - daysAgo * DAY_MS - draw.between(0, 5 * 60) * MINUTE_MS;
    return { provider, fromMs, toMs: fromMs + minutes * MINUTE_MS, chance: 0.75, failures, sessions: 22 };
  };
  return [
    incident("google", 16, 35, [timeout, timeout, serverError]),
    incident("openai", 9, 40, [rateLimit]),
    incident("anthropic", 4, 25, [overload, serverError]),
    {
      provider: "openai",
      fromMs: nowMs - 40 * MINUTE_MS,
      toMs: nowMs - 12 * MINUTE_MS,
      chance: 0.8,
      failures: [rateLimit, rateLimit, serverError],
      sessions: 26,
    },
  ];
}

/** Failures outside of incidents. */
export const SPORADIC_CHANCE = 0.006;
export const sporadic: readonly [Failure, ...Failure[]] = [serverError, serverError, rateLimit, timeout];
