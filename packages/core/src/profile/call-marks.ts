/**
 * Thresholds for suspicious calls. The agent profile counts calls by these lines as they arrive, so a change
 * affects only later calls. Reasons: docs/cost-leaks.md.
 */

/** An answer below this is short. */
export const SHORT_OUTPUT_TOKENS = 100;

/** No provider caches a shorter prompt. */
export const CACHEABLE_TOKENS = 1024;

/** Prompt caches live this long after their last use: the ordinary one, and the longer one that costs more to write. */
export const CACHE_MS = 300_000;
export const LONG_CACHE_MS = 3_600_000;

/** The same request again is a repetition within an hour, and a retry within a minute after a failure. */
export const REPEATED_WITHIN_MS = 3_600_000;
export const RETRIED_WITHIN_MS = 60_000;

/** A session has outgrown its first call when a later prompt is both. */
export const GROWN_FACTOR = 3;
export const GROWN_TOKENS = 2000;

/** The part of a context window that a prompt should stay within. */
export function roomyInput(contextWindow: number): number {
  return Math.floor((contextWindow * 60) / 100);
}
