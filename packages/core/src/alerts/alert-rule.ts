import type { AlertDraft } from "./alert-draft.ts";
import type { AlertSeverity } from "./alert-types.ts";
import type { AlertPreferences } from "./preferences.ts";

/**
 * From an observation to an alert; null while the line is not crossed. An alert is over when the same function
 * returns null again.
 */
export type AlertRule<Observed> = (observed: Observed, preferences: AlertPreferences) => AlertDraft | null;

/** A crossed line is always reported. Twice the line, or statistical significance, makes it critical. */
export function severityOf(isFarOver: boolean, isProven: boolean): AlertSeverity {
  return isFarOver || isProven ? "critical" : "warning";
}

/** A line at 0 has no double. */
export function isTwice(value: number, line: number): boolean {
  return line > 0 && value >= 2 * line;
}
