import type { EventStatus } from "../event.ts";
import type { Microcents } from "../money/money.ts";
import type { Usage } from "../money/usage.ts";
import { DAY_MS, HOUR_MS } from "../time/durations.ts";

/** A call made elsewhere and reported afterwards, by `POST /v1/events` or as a span. */
export interface IngestedCall {
  /** Identifies the call if it arrives again, within its organization and mode; null: no identity. */
  readonly identity: readonly string[] | null;
  readonly externalId: string | null;
  readonly createdAtMs: number;
  readonly agentKey: string;
  readonly sessionId: string | null;
  readonly customerId: string | null;
  readonly configVersion: string | null;
  /** null: derived from the model's name. */
  readonly provider: string | null;
  readonly model: string;
  readonly servedModel: string | null;
  readonly status: EventStatus;
  readonly errorCode: string | null;
  readonly latencyMs: number;
  readonly ttftMs: number | null;
  readonly stream: boolean;
  /** null: not reported. Unknown is not zero. */
  readonly usage: Usage | null;
  /** The amount reported by the sender, which is kept. */
  readonly cost: Microcents | null;
  readonly serviceTier: string | null;
  readonly responseId: string | null;
  /** The event of the gateway call that this one repeats. */
  readonly gatewayEventId: string | null;
  /** null: not reported by telemetry. */
  readonly span: SpanOrigin | null;
}

/** The span that reported a call, and its instrumentation scope. */
export interface SpanOrigin {
  readonly traceId: string;
  readonly spanId: string;
  /** It has no parent: its trace begins with it. */
  readonly isRoot: boolean;
  readonly instrumentation: string;
}

/** Names are stored, shown and sent in paths: printable ASCII only, as for calls. */
export const namePattern = /^[\x20-\x7e]{1,256}$/;

/** Far above any possible call, and low enough that sums of millions of calls stay exact. */
export const MAX_TOKENS = 1_000_000_000;
/** $10,000 for one call. */
export const MAX_COST_MICROCENTS = 100_000_000_000;
/** A week. */
export const MAX_LATENCY_MS = 7 * DAY_MS;
/** Stored verbatim, and repeated with every event of a list. */
export const MAX_CONFIG_VERSION = 4096;

/** No API was billed by the token before this: a time in seconds would fall in 1970, and is reported as such. */
const EARLIEST = Date.UTC(2015, 0, 1);

/** What is wrong with a call's time, or null. Clocks differ, but a future call could count in the wrong month. */
export function faultOfTime(atMs: number, nowMs: number): string | null {
  if (!Number.isSafeInteger(atMs)) return "is no time";
  if (atMs > nowMs + HOUR_MS) return "lies more than an hour in the future";
  if (atMs < EARLIEST) return "lies before 2015 (times are milliseconds, not seconds)";
  return null;
}
