import type { Handler } from "../kernel/handler.ts";
import { alertPreferencesOf } from "./preferences-of.ts";

export const alertsPreferencesGet: Handler<"alerts.preferences.get"> = async ({ db, organization }) => ({
  organization_id: organization.id,
  ...(await alertPreferencesOf(db, organization.id)),
});
