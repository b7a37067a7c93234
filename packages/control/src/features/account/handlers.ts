import type { accountOperations } from "@tollgate/core/contract/account";
import { toIsoTime } from "@tollgate/core/contract/fields/iso-time";
import { fail } from "@tollgate/core/errors";
import { digestOf } from "@tollgate/storage/config/api-key";
import { parseEnumValue } from "@tollgate/storage/database/from-row";
import type { Context } from "../../kernel/context.ts";
import type { Handlers } from "../../kernel/handler.ts";
import { requirePerson } from "../../kernel/require-person.ts";
import { claimInvitation } from "../auth/invitation.ts";
import { refuseCommonPassword } from "../auth/refuse-common-password.ts";
import { memberColumns, shownMember } from "../members/to-member.ts";

const MAX_SESSIONS = 100;
const MAX_USER_AGENT_LENGTH = 512;

export const accountHandlers: Handlers<typeof accountOperations> = {
  /**
   * Needs both the invitation's code and an account with the invited address: only the inviter was given the code. The
   * invitation names the organization.
   */
  "account.accept_invitation": async ({ db, actor, now }, { id: code }) => {
    const { userId, email } = requirePerson(actor);
    const isClaimed = await claimInvitation(db, code, { id: userId, email }, now());
    if (!isClaimed) throw fail("not_found", "There is no such invitation for this account");
    const row = await db
      .selectFrom("members")
      .select(memberColumns)
      .where("invitation", "=", digestOf(code))
      .executeTakeFirstOrThrow();
    return shownMember(row);
  },

  "account.get": async context => {
    const { actor, accounts, organization, scope } = context;
    const here = { organization: { id: organization.id, name: organization.name }, mode: scope.mode };
    if (actor.kind === "key") {
      return { user: null, key: { id: actor.keyId, scope: actor.permission }, ...here, memberships: [] };
    }
    const account = await accounts.findById(actor.userId);
    const user = {
      id: actor.userId,
      email: actor.email,
      name: account?.name ?? "",
      has_password: await accounts.hasPassword(actor.userId),
      external: accounts.external,
    };
    return { user, key: null, ...here, memberships: await membershipsOf(context, actor.userId) };
  },

  /** Every later request of this session is for that organization, unless it names another one itself. */
  "account.switch_organization": async (context, { organization_id: chosen }) => {
    const { db, accounts, now } = context;
    const { userId, sessionId } = requirePerson(context.actor);
    const memberships = await membershipsOf(context, userId);
    const found = memberships.find(({ organization }) => organization.id === chosen);
    if (found === undefined) throw fail("not_found", "There is no such organization");
    const { id, name, status } = found.organization;
    if (status !== "active") throw fail("organization_inactive", `The organization is ${status}`);
    const open = (await accounts.sessions(userId)).map(session => session.id);
    const row = { session_id: sessionId, user_id: userId, org_id: id, switched_at: now() };
    await db.transaction().execute(async transaction => {
      await transaction
        .insertInto("session_organizations")
        .values(row)
        .onConflict(conflict => conflict.column("session_id").doUpdateSet(row))
        .execute();
      // Sessions that ended leave their rows behind.
      await transaction
        .deleteFrom("session_organizations")
        .where("user_id", "=", userId)
        .where("session_id", "not in", [...open, sessionId])
        .execute();
    });
    return { organization: { id, name }, role: found.role };
  },

  "account.sessions.end": async ({ actor, accounts }, { id }) => {
    const { userId } = requirePerson(actor);
    if (!(await accounts.endSession(userId, id))) throw fail("not_found", "There is no such session");
  },

  "account.sessions.list": async ({ actor, accounts }) => {
    const { userId, sessionId } = requirePerson(actor);
    const sessions = await accounts.sessions(userId);
    return {
      sessions: sessions.slice(0, MAX_SESSIONS).map(session => ({
        id: session.id,
        current: session.id === sessionId,
        user_agent: session.userAgent?.slice(0, MAX_USER_AGENT_LENGTH) ?? null,
        created_at: toIsoTime(session.createdAt),
        expires_at: toIsoTime(session.expiresAt),
      })),
    };
  },

  "account.set_password": async ({ actor, accounts }, input) => {
    const { userId, email, sessionId } = requirePerson(actor);
    if (accounts.external) throw fail("invalid_request", "Passwords are managed by the identity provider");
    if (await accounts.hasPassword(userId)) {
      const current = input.current_password;
      if (current === undefined) throw fail("invalid_request", "current_password: is required");
      const isRight = await accounts.isPassword({ id: userId, email, name: "" }, current);
      // 400, not 401: the session is valid, and a client must not treat it as ended.
      if (!isRight) throw fail("invalid_request", "current_password: is wrong");
    }
    refuseCommonPassword(input.password, email);
    await accounts.setPassword(userId, input.password);
    await accounts.endOtherSessions(userId, sessionId);
  },
};

/**
 * The only query that crosses organizations: it lists a person's own memberships and nothing inside the
 * organizations.
 */
async function membershipsOf({ db }: Context, userId: string) {
  const rows = await db
    .selectFrom("members")
    .innerJoin("organizations", "organizations.id", "members.org_id")
    .select(["organizations.id", "organizations.name", "organizations.status"])
    .select(["members.role", "members.id as memberId"])
    .where("members.user_id", "=", userId)
    .where("members.status", "=", "active")
    .orderBy("members.created_at")
    .orderBy("members.id")
    .execute();
  return rows.map(({ role, memberId, ...organization }) => ({
    organization,
    role: parseEnumValue("members", "role", memberId, role),
  }));
}
