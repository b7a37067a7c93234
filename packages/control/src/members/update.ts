import { fail } from "@tollgate/core/errors";
import type { Handler } from "../kernel/handler.ts";
import { keepingAnOwner, requireLiveKey } from "./guard.ts";
import { memberColumns, shownMember } from "./to-member.ts";

export const membersUpdate: Handler<"members.update"> = async (context, { id, role }) => {
  requireLiveKey(context);
  // Keeping an owner an owner cannot remove the last one.
  const heir = role === "owner" ? "" : id;
  const row = await keepingAnOwner(context, heir, transaction =>
    transaction
      .updateTable("members")
      .set({ role })
      .where("id", "=", id)
      .where("org_id", "=", context.organization.id)
      .returning(memberColumns)
      .executeTakeFirst(),
  );
  if (!row) throw fail("not_found", "There is no such member");
  return shownMember(row);
};
