import type { alertsPreferencesGet as operation } from "@tollgate/core/contract/alert-preferences/get";
import { alertPreferencesOf } from "./alert-preferences-of.ts";
import type { Handler } from "./handler.ts";

export const alertsPreferencesGet: Handler<typeof operation> = async ({ db, organization }) => ({
  organization_id: organization.id,
  ...(await alertPreferencesOf(db, organization.id)),
});
