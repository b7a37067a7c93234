import type { EvidenceMode } from "./vocabulary.ts";

export const ineligibleReasons = [
  "agent_inactive", // archived or paused
  "no_calls",
  "insufficient_volume", // no verdict within the time of a trial
  "missing_sessions",
  "missing_outcomes",
] as const;
export type IneligibleReason = (typeof ineligibleReasons)[number];

/** A trial ends after that. */
export const MAX_DAYS = 14;

interface Signals {
  readonly isInactive: boolean;
  readonly calls: number;
  /** Infinity: no calls on the days observed; null: not known before a whole day was. */
  readonly daysToVerdict: number | null;
  readonly sessionCalls: number;
  /** Of sessions, that say whether they succeeded or not. */
  readonly joinedSessions: number;
}

/** Why evidence of this kind cannot be had now; null: it can. */
export function ineligibleReason(mode: EvidenceMode, signals: Signals): IneligibleReason | null {
  // Pairs that are graded elsewhere need no traffic here.
  if (mode === "captured") return null;
  if (signals.isInactive) return "agent_inactive";
  if (signals.calls === 0) return "no_calls";
  if (mode === "experiment") {
    if (signals.sessionCalls === 0) return "missing_sessions";
    return signals.joinedSessions === 0 ? "missing_outcomes" : null;
  }
  const isTooSlow = signals.daysToVerdict !== null && signals.daysToVerdict > MAX_DAYS;
  return isTooSlow ? "insufficient_volume" : null;
}
