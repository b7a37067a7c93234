import type { AlertPreferences } from "./preferences.ts";

/** The warning line of budgets without one of their own: the preferences', as a whole percentage. */
export function defaultWarningPct({ budget_warning: { threshold_pct } }: AlertPreferences): number {
  return Math.min(100, Math.ceil(threshold_pct));
}
