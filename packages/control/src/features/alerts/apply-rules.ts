import type { AlertDraft } from "@tollgate/core/alerts/alert-draft";
import type { AlertRule } from "@tollgate/core/alerts/alert-rule";
import type { AlertPreferences } from "@tollgate/core/alerts/preferences";

/** The drafts of all rules whose thresholds the observation has crossed. */
export function applyRules<Observed>(
  rules: readonly AlertRule<Observed>[],
  observed: Observed,
  preferences: AlertPreferences,
): AlertDraft[] {
  return rules.flatMap(rule => rule(observed, preferences) ?? []);
}
