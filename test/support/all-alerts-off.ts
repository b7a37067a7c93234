import { type AlertPreferences, defaultAlertPreferences } from "@tollgate/core/alerts/preferences";

/** The default preferences with every type of alert disabled. */
export const allAlertsOff = Object.fromEntries(
  Object.entries(defaultAlertPreferences).map(([name, value]) => [
    name,
    value !== null && typeof value === "object" ? { ...value, enabled: false } : value,
  ]),
) as AlertPreferences;
