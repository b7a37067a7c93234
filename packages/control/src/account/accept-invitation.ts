import { fail } from "@tollgate/core/errors";
import { digestOf } from "@tollgate/storage/config/api-key";
import { claimInvitation } from "../auth/invitation.ts";
import type { Handler } from "../kernel/handler.ts";
import { memberColumns, shownMember } from "../members/to-member.ts";
import { requirePerson } from "./require-person.ts";

/**
 * Needs both the invitation's code and an account with the invited address: only the inviter was given the code. The
 * invitation names the organization.
 */
export const accountAcceptInvitation: Handler<"account.accept_invitation"> = async (
  { db, actor, now },
  { id: code },
) => {
  const { userId, email } = requirePerson(actor);
  const isClaimed = await claimInvitation(db, code, { id: userId, email }, now());
  if (!isClaimed) throw fail("not_found", "There is no such invitation for this account");
  const row = await db
    .selectFrom("members")
    .select(memberColumns)
    .where("invitation", "=", digestOf(code))
    .executeTakeFirstOrThrow();
  return shownMember(row);
};
