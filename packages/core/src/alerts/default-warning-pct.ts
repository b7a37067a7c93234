import type { AlertPreferences } from "./preferences.ts";

/** The warning threshold of budgets without their own: from the preferences, as an integer percentage. */
export function defaultWarningPct({ budget_warning: { threshold_pct } }: AlertPreferences): number {
  return Math.min(100, Math.ceil(threshold_pct));
}
