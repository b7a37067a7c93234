import { defaultWarningPct } from "@tollgate/core/alerts/default-warning-pct";
import { enabledAlertTypes } from "@tollgate/core/alerts/preferences";
import { toIsoTime } from "@tollgate/core/contract/fields/iso-time";
import type { Handler } from "../kernel/handler.ts";
import { changeAlertPreferences } from "./change-preferences.ts";
import { alertPreferencesOf } from "./preferences-of.ts";

export const alertsPreferencesUpdate: Handler<"alerts.preferences.update"> = async (context, input) => {
  const orgId = context.organization.id;
  context.targetGuard.refuseAtRegistration("slack_webhook", input.slack_webhook);
  context.targetGuard.refuseAtRegistration("webhook_url", input.webhook_url);
  const now = context.now();
  const changed = await context.db.transaction().execute(async transaction => {
    const preferences = changeAlertPreferences(await alertPreferencesOf(transaction, orgId), input);
    const stored = { preferences: JSON.stringify(preferences), updated_at: now };
    await transaction
      .insertInto("alert_preferences")
      .values({ org_id: orgId, ...stored })
      .onConflict(conflict => conflict.column("org_id").doUpdateSet(stored))
      .execute();
    if (input.budget_warning_threshold_pct !== undefined) {
      // Budgets with a threshold of their own keep it.
      await transaction
        .updateTable("budgets")
        .set({ warning_pct: defaultWarningPct(preferences), updated_at: now })
        .where("org_id", "=", orgId)
        .where("warning_is_default", "=", 1)
        .execute();
    }
    return preferences;
  });
  return {
    organization_id: orgId,
    updated_at: toIsoTime(now),
    alert_types: enabledAlertTypes(changed),
  };
};
