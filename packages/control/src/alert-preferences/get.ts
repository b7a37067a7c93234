import type { alertsPreferencesGet as operation } from "@tollgate/core/contract/alert-preferences/get";
import type { Handler } from "../kernel/handler.ts";
import { alertPreferencesOf } from "./preferences-of.ts";

export const alertsPreferencesGet: Handler<typeof operation> = async ({ db, organization }) => ({
  organization_id: organization.id,
  ...(await alertPreferencesOf(db, organization.id)),
});
