import type { memberOperations } from "@tollgate/core/contract/members";
import { fail } from "@tollgate/core/errors";
import { digestOf } from "@tollgate/storage/config/api-key";
import type { ControlTransaction } from "@tollgate/storage/database/schema";
import type { Context } from "../../kernel/context.ts";
import type { Handlers } from "../../kernel/handler.ts";
import { readPageByTime } from "../../kernel/read-page-by-time.ts";
import { newInvitationCode } from "../auth/invitation.ts";
import { keepingAnOwner } from "./keeping-an-owner.ts";
import { memberColumns, shownMember } from "./to-member.ts";

export const memberHandlers: Handlers<typeof memberOperations> = {
  /**
   * The same answer for every address, whether or not it has an account on this installation. No account is created or
   * changed before a person accepts with the code.
   */
  "members.invite": async (context, { email, role }) => {
    const { db, organization } = context;
    const code = newInvitationCode();
    const member = {
      id: context.newId(),
      org_id: organization.id,
      user_id: null,
      email,
      role,
      status: "invited",
      invitation: digestOf(code),
      created_at: context.now(),
    };
    const { numInsertedOrUpdatedRows } = await db
      .insertInto("members")
      .values(member)
      .onConflict(conflict => conflict.columns(["org_id", "email"]).doNothing())
      .executeTakeFirstOrThrow();
    if (numInsertedOrUpdatedRows === 0n) {
      throw fail("invalid_request", "email: is already a member of the organization, or already invited");
    }
    return { ...shownMember(member), accept_url: `${context.publicUrl}/welcome?invitation=${code}` };
  },

  "members.list": async ({ db, organization }, page) => {
    const query = db.selectFrom("members").select(memberColumns).where("org_id", "=", organization.id);
    const { shown, next_cursor } = await readPageByTime(query, page, "oldest first");
    return { members: shown.map(shownMember), next_cursor };
  },

  /**
   * Ends the member's keys and the membership in one transaction, in the organization's demo too. The account stays,
   * because it may belong to another organization; if it does not, its sessions end too.
   */
  "members.remove": async (context, { id }) => {
    const { organization } = context;
    const removed = await keepingAnOwner(context, id, async transaction => {
      const member = await transaction
        .deleteFrom("members")
        .where("id", "=", id)
        .where("org_id", "=", organization.id)
        .returning("user_id")
        .executeTakeFirst();
      if (member?.user_id) {
        await revokeKeys(transaction, context, organization.id, member.user_id);
        await leaveDemos(transaction, context, member.user_id);
      }
      return member;
    });
    if (!removed) throw fail("not_found", "There is no such member");
    if (removed.user_id !== null && !(await belongsElsewhere(context, removed.user_id))) {
      await context.accounts.endSessions(removed.user_id);
    }
  },

  /** A session that also serves another organization goes on there. */
  "members.sign_out": async (context, { id }) => {
    const member = await context.db
      .updateTable("members")
      .set({ signed_out_at: context.now() })
      .where("id", "=", id)
      .where("org_id", "=", context.organization.id)
      .where("status", "=", "active")
      .returning("user_id")
      .executeTakeFirst();
    if (!member?.user_id) throw fail("not_found", "There is no such member");
    if (!(await belongsElsewhere(context, member.user_id))) {
      await context.accounts.endSessions(member.user_id);
    }
  },

  "members.update": async (context, { id, role }) => {
    // A member who stays an owner does not leave the organization without one.
    const demotedId = role === "owner" ? "" : id;
    const row = await keepingAnOwner(context, demotedId, transaction =>
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
  },
};

async function revokeKeys(
  transaction: ControlTransaction,
  { now }: Context,
  orgId: string,
  userId: string,
): Promise<void> {
  await transaction
    .updateTable("api_keys")
    .set({ revoked_at: now() })
    .where("org_id", "=", orgId)
    .where("created_by_user", "=", userId)
    .where("revoked_at", "is", null)
    .execute();
}

/** A removed demo has no members left, so this concerns at most one. */
async function leaveDemos(transaction: ControlTransaction, context: Context, userId: string): Promise<void> {
  const demos = await transaction
    .selectFrom("demos")
    .select("org_id")
    .where("home_org_id", "=", context.organization.id)
    .where("status", "<>", "removed")
    .execute();
  for (const { org_id } of demos) {
    await transaction
      .deleteFrom("members")
      .where("org_id", "=", org_id)
      .where("user_id", "=", userId)
      .execute();
    await revokeKeys(transaction, context, org_id, userId);
  }
}

/** A demo is not counted: it is a part of its home. */
async function belongsElsewhere({ db, organization }: Context, userId: string): Promise<boolean> {
  const found = await db
    .selectFrom("members")
    .select("id")
    .where("user_id", "=", userId)
    .where("org_id", "!=", organization.id)
    .where("org_id", "not in", db.selectFrom("demos").select("demos.org_id"))
    .where("status", "=", "active")
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}
