import { z } from "zod";
import { alertPreferences } from "../../alerts/preferences.ts";
import { operation } from "../operation.ts";

export const alertsPreferencesGet = operation({
  id: "alerts.preferences.get",
  method: "GET",
  path: "/api/alerts/preferences",
  summary: "Which alerts are raised, and where they are sent",
  output: z.strictObject({ organization_id: z.string(), ...alertPreferences.shape }),
  status: 200,
  scope: "read",
  role: "viewer",
  minTier: "lite",
});
