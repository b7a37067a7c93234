import { HOUR_MS } from "../time/durations.ts";
/**
 * Thresholds for suspicious calls. The agent profile applies them as calls arrive, so a change affects only later
 * calls. Reasons: docs/cost-leaks.md.
 */

/** An answer below this is short. */
export const SHORT_OUTPUT_TOKENS = 100;

/** No provider caches a shorter prompt. */
export const CACHEABLE_TOKENS = 1024;

/** Lifetimes of prompt caches after their last use: the default one, and the longer one with more expensive writes. */
export const CACHE_MS = 300_000;
export const LONG_CACHE_MS = HOUR_MS;

/** An equal request within an hour is a repetition; within a minute after a failure, a retry. */
export const REPEATED_WITHIN_MS = HOUR_MS;
export const RETRIED_WITHIN_MS = 60_000;

/** A session has outgrown its first call if a later prompt exceeds both. */
export const GROWN_FACTOR = 3;
export const GROWN_TOKENS = 2000;

/** The part of a context window that a prompt should not exceed. */
export function roomyInput(contextWindow: number): number {
  return Math.floor((contextWindow * 60) / 100);
}
