import { wordIn } from "@tollgate/storage/database/from-row";
import type { Context } from "../kernel/context.ts";
import type { Handler } from "../kernel/handler.ts";

export const accountGet: Handler<"account.get"> = async context => {
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
    role: wordIn("members", "role", memberId, role),
  }));
}
