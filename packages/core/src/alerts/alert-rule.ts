import type { AlertDraft } from "./alert-draft.ts";
import type { AlertSeverity } from "./alert-types.ts";
import type { AlertPreferences } from "./preferences.ts";

/**
 * Maps an observation to an alert; null while the threshold is not crossed. An open alert is resolved when the same
 * function returns null again.
 */
export type AlertRule<Observed> = (observed: Observed, preferences: AlertPreferences) => AlertDraft | null;

/** A crossed threshold is always reported. Twice the threshold, or statistical significance, makes it critical. */
export function severityOf(isFarOver: boolean, isProven: boolean): AlertSeverity {
  return isFarOver || isProven ? "critical" : "warning";
}

/** Nothing is twice a threshold of 0. */
export function isTwice(value: number, line: number): boolean {
  return line > 0 && value >= 2 * line;
}
