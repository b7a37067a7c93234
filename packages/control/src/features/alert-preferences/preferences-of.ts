import { type AlertPreferences, readAlertPreferences } from "@tollgate/core/alerts/preferences";
import type { Control } from "../../kernel/context.ts";

export async function alertPreferencesOf(db: Control["db"], orgId: string): Promise<AlertPreferences> {
  const row = await db
    .selectFrom("alert_preferences")
    .select("preferences")
    .where("org_id", "=", orgId)
    .executeTakeFirst();
  return readAlertPreferences(row?.preferences ?? null);
}
