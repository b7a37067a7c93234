import type { membersList as contract } from "@tollgate/core/contract/members-list";
import type { Handler } from "./handler.ts";
import { memberColumns, shownMember } from "./members-shown.ts";

export const membersList: Handler<typeof contract> = async ({ db, organization }) => {
  const rows = await db
    .selectFrom("members")
    .select(memberColumns)
    .where("org_id", "=", organization.id)
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  return { members: rows.map(shownMember) };
};
