import type { accountAcceptInvitation as contract } from "@tollgate/core/contract/account-accept-invitation";
import { fail } from "@tollgate/core/errors";
import { requirePerson } from "./account-person.ts";
import type { Handler } from "./handler.ts";
import { memberColumns, shownMember } from "./members-shown.ts";

/**
 * By the invitation's id and the account's own address together: the id is told to the inviting organization alone,
 * and the address is the one that was invited. The invitation names the organization.
 */
export const accountAcceptInvitation: Handler<typeof contract> = async ({ db, actor }, { id }) => {
  const { userId, email } = requirePerson(actor);
  const row = await db
    .updateTable("members")
    .set({ status: "active", user_id: userId })
    .where("id", "=", id)
    .where("email", "=", email)
    // A second time changes nothing: a sign-in may have fulfilled it in between.
    .where(row => row.or([row("status", "=", "invited"), row("user_id", "=", userId)]))
    .returning(memberColumns)
    .executeTakeFirst();
  if (!row) throw fail("not_found", "There is no such invitation for this account");
  return shownMember(row);
};
