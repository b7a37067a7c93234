import type { Handler } from "../kernel/handler.ts";
import { requireLiveKey } from "../members/guard.ts";
import { shownOrganization } from "./to-organization.ts";

export const organizationUpdate: Handler<"organization.update"> = async (context, { name }) => {
  requireLiveKey(context);
  await context.db
    .updateTable("organizations")
    .set({ name })
    .where("id", "=", context.organization.id)
    .execute();
  return await shownOrganization(context);
};
