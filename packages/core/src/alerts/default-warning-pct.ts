import type { AlertPreferences } from "./preferences.ts";

/** The warning line of budgets that nobody gave one: the preferences', as the whole percentage that a budget has. */
export function defaultWarningPct({ budget_warning: { threshold_pct } }: AlertPreferences): number {
  return Math.min(100, Math.ceil(threshold_pct));
}
