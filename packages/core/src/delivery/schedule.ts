import { HOUR_MS, MINUTE_MS } from "../time/durations.ts";

/** The delay before each attempt in milliseconds, including the first. The length is the number of attempts. */
type DeliverySchedule = readonly number[];

const SECOND_MS = 1000;

/** Ten attempts in less than 75 hours: a receiver may be down over a long weekend. */
export const webhookSchedule: DeliverySchedule = [
  0,
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  23 * HOUR_MS,
];

/** Six attempts: this morning's alert is useless tomorrow. */
export const alertSchedule: DeliverySchedule = [
  0,
  5 * SECOND_MS,
  MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
];

/** No attempt is made later than this after the first one of its round, even if the receiver asks for it. */
export const WEBHOOK_SPAN_MS = 75 * HOUR_MS;
export const ALERT_SPAN_MS = 3 * HOUR_MS;

const MIN_SHARE = 0.9;

/**
 * The delay after `tries` failed attempts; null: give up. `jitter` is in [0, 1]: without it, everything that failed at
 * the same moment would be retried at the same moment.
 */
export function delayAfter(schedule: DeliverySchedule, tries: number, jitter: number): number | null {
  const delay = schedule[tries];
  return delay === undefined ? null : Math.round(delay * (MIN_SHARE + (1 - MIN_SHARE) * jitter));
}

interface FailedTry {
  /** Attempts so far, including this one. */
  readonly tries: number;
  readonly firstTriedAt: number;
  readonly endedAt: number;
  /** The receiver's `Retry-After`. */
  readonly retryAfterMs: number | null;
}

/** When to retry; null: give up. `Retry-After` stretches one wait, but not the whole span: later tries are dropped. */
export function nextTryAt(
  schedule: DeliverySchedule,
  spanMs: number,
  { tries, firstTriedAt, endedAt, retryAfterMs }: FailedTry,
  jitter: number,
): number | null {
  const delay = delayAfter(schedule, tries, jitter);
  if (delay === null) return null;
  const at = endedAt + Math.max(delay, retryAfterMs ?? 0);
  return at > firstTriedAt + spanMs ? null : at;
}

/** The longest delay that a receiver can request. */
export const MAX_RETRY_AFTER_MS = 24 * HOUR_MS;

/** `Retry-After`: seconds, or a date. null for anything else. */
export function parseRetryAfter(text: string | null, nowMs: number): number | null {
  const value = text?.trim() ?? "";
  if (/^\d{1,15}$/.test(value)) return Math.min(Number(value) * SECOND_MS, MAX_RETRY_AFTER_MS);
  // All three HTTP date formats start with a day name; Date.parse alone would accept "-1".
  if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(value)) return null;
  const at = Date.parse(value.endsWith("GMT") ? value : `${value} GMT`);
  return Number.isNaN(at) ? null : Math.min(Math.max(at - nowMs, 0), MAX_RETRY_AFTER_MS);
}
