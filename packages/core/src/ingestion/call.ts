import type { EventStatus } from "../event.ts";
import type { Microcents } from "../money/money.ts";
import type { Usage } from "../money/usage.ts";

/** A call made elsewhere and reported afterwards, by `POST /v1/events` or as a span. */
export interface IngestedCall {
  /** What makes it the same call when it arrives again, within its organization and mode; null: nothing does. */
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
  /** The sender's own amount, which is kept. */
  readonly cost: Microcents | null;
  readonly serviceTier: string | null;
  readonly responseId: string | null;
  /** The event of a call through the gateway that this one repeats. */
  readonly gatewayEventId: string | null;
  /** null: not reported by telemetry. */
  readonly span: SpanOrigin | null;
}

/** The span that reported a call, and its instrumentation scope. */
export interface SpanOrigin {
  readonly traceId: string;
  readonly spanId: string;
  readonly instrumentation: string;
}

/** Names are stored and shown, and sent in paths: printable ASCII only, as for calls. */
export const namePattern = /^[\x20-\x7e]{1,256}$/;

/** Far above any call there can be, and low enough that sums of millions of calls stay exact. */
export const MAX_TOKENS = 1_000_000_000;
/** $10,000 for one call. */
export const MAX_COST_MICROCENTS = 100_000_000_000;
/** A week. */
export const LONGEST_LATENCY_MS = 7 * 86_400_000;
/** Kept verbatim, but lists of events repeat it with every event. */
export const MAX_CONFIG_VERSION = 4096;

const HOUR_MS = 3_600_000;
/** Nothing was billed by the token before this: a time in seconds lands in 1970, and is reported as such. */
const EARLIEST = Date.UTC(2015, 0, 1);

/** What is wrong with a call's time, or null. Clocks differ, but a call of tomorrow would count in the wrong month. */
export function faultOfTime(atMs: number, nowMs: number): string | null {
  if (!Number.isSafeInteger(atMs)) return "is no time";
  if (atMs > nowMs + HOUR_MS) return "lies more than an hour in the future";
  if (atMs < EARLIEST) return "lies before 2015 (times are milliseconds, not seconds)";
  return null;
}
