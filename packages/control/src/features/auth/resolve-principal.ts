import { type Role, roles } from "@tollgate/core/contract/operation";
import { fail } from "@tollgate/core/errors";
import type { Mode } from "@tollgate/core/event";
import { apiKeyIn } from "@tollgate/core/wire/api-key-header";
import { digestOf } from "@tollgate/storage/config/api-key";
import { fromRow, parseEnumValue } from "@tollgate/storage/database/from-row";
import type { ControlDb } from "@tollgate/storage/database/schema";
import type { OrganizationContext, Principal, ResolvePrincipal } from "../../kernel/context.ts";
import type { BetterAuth } from "./better-auth.ts";
import { requireJson, requireOwnOrigin } from "./own-origin.ts";
import { type ReadSession, readSession } from "./read-session.ts";

interface ResolvePrincipalOptions {
  readonly db: ControlDb;
  readonly auth: BetterAuth;
  readonly origins: ReadonlySet<string>;
}

/** A key takes precedence over a cookie, and an invalid key is an error: it never falls back to the session. */
export function principalResolver({ db, auth, origins }: ResolvePrincipalOptions): ResolvePrincipal {
  return async (request, { isRecheck = false } = {}) => {
    const key = apiKeyIn(request.headers);
    if (key !== null) return await principalOfKey(db, key);

    const session = await readSession(auth, request, isRecheck);
    if (!session) throw fail("missing_credential", "Sign in, or send an API key as `Authorization: Bearer`");
    requireOwnPage(request, origins);
    return await principalOfSession(db, session, request);
  };
}

async function principalOfKey(db: ControlDb, key: string): Promise<Principal> {
  const found = await db
    .selectFrom("api_keys")
    .innerJoin("organizations", "organizations.id", "api_keys.org_id")
    .leftJoin("members", join =>
      join
        .onRef("members.user_id", "=", "api_keys.created_by_user")
        .onRef("members.org_id", "=", "api_keys.org_id")
        .on("members.status", "=", "active"),
    )
    .select([
      "api_keys.id as keyId",
      "api_keys.mode",
      "api_keys.scope",
      "api_keys.role",
      "api_keys.revoked_at",
      "api_keys.created_by",
      "api_keys.created_by_user",
      "members.id as creatorId",
      "members.role as creatorRole",
    ])
    .select(["organizations.id", "organizations.name", "organizations.tier", "organizations.status"])
    .where("api_keys.digest", "=", digestOf(key))
    .executeTakeFirst();
  const isOrphan = found?.created_by_user != null && found.creatorRole === null;
  if (!found || found.revoked_at !== null || isOrphan) throw fail("invalid_api_key", "Invalid API key");
  const organization = activeOrganization(found);
  const { mode, scope, role: ownRole } = fromRow("api_keys", { ...found, id: found.keyId });
  const role = lesserRole(ownRole, roleOfCreator(found));
  return {
    actor: {
      kind: "key",
      keyId: found.keyId,
      permission: role === "viewer" ? "read" : scope,
      role,
      creator: { shownAs: found.created_by, userId: found.created_by_user },
    },
    organization,
    scope: { orgId: organization.id, mode },
  };
}

/** A key may do what its creator may do today, and never more than they could when they created it. */
function lesserRole(ofKey: Role, ofCreator: Role): Role {
  return roles.indexOf(ofKey) < roles.indexOf(ofCreator) ? ofKey : ofCreator;
}

/** A key that no member created is bounded by its own role alone. */
function roleOfCreator(found: {
  readonly creatorId: string | null;
  readonly creatorRole: string | null;
}): Role {
  if (found.creatorId === null || found.creatorRole === null) return "owner";
  return parseEnumValue("members", "role", found.creatorId, found.creatorRole);
}

/**
 * A cookie may write only from our own pages. A WebSocket counts as a write: it opens with a GET, then accepts
 * commands.
 */
function requireOwnPage(request: Request, origins: ReadonlySet<string>): void {
  const isSocket = request.headers.get("upgrade")?.toLowerCase() === "websocket";
  if (!isSocket && (request.method === "GET" || request.method === "HEAD")) return;
  requireOwnOrigin(request, origins, "refuse");
  if (!isSocket) requireJson(request);
}

async function principalOfSession(db: ControlDb, session: ReadSession, request: Request): Promise<Principal> {
  const url = new URL(request.url);
  const mode = modeIn(url);
  const membership = await membershipOf(db, session, request.headers.get("x-organization-id"), url.pathname);
  const organization = activeOrganization(membership);
  return {
    actor: {
      kind: "member",
      userId: session.account.id,
      email: session.account.email,
      role: membership.role,
      sessionId: session.sessionId,
    },
    organization,
    scope: { orgId: organization.id, mode },
    setCookies: session.setCookies,
  };
}

function modeIn(url: URL): Mode {
  const mode = url.searchParams.get("mode") ?? "live";
  if (mode !== "live" && mode !== "test") throw fail("invalid_request", "mode: must be `live` or `test`");
  return mode;
}

interface Membership {
  readonly id: string;
  readonly name: string;
  readonly tier: string;
  readonly status: string;
  readonly role: Role;
}

async function membershipOf(
  db: ControlDb,
  session: ReadSession,
  chosen: string | null,
  path: string,
): Promise<Membership> {
  const all = await memberships(db)
    .where("members.user_id", "=", session.account.id)
    .where("members.status", "=", "active")
    .orderBy("members.created_at")
    .orderBy("members.id")
    .execute();
  const rows = all.filter(row => row.signedOutAt === null || row.signedOutAt <= session.createdAtMs);
  if (all.length > 0 && (rows.length === 0 || isSignedOut(chosen, all, rows))) {
    throw fail("missing_credential", "An owner has signed you out of this organization: sign in again");
  }
  const found =
    chosen !== null
      ? rows.find(row => row.id === chosen)
      : ((await switchedTo(db, session, rows)) ??
        rows.find(row => row.status === "active") ??
        rows[0] ??
        (await invitedBy(db, session, path)));
  if (found) return { ...found, role: parseEnumValue("members", "role", found.memberId, found.role) };
  if (chosen !== null && rows.length > 0) throw fail("not_found", "There is no such organization");
  throw fail("not_a_member", "This account belongs to no organization");
}

function isSignedOut(chosen: string | null, all: readonly { id: string }[], rows: readonly { id: string }[]) {
  const isChosen = ({ id }: { id: string }) => id === chosen;
  return all.some(isChosen) && !rows.some(isChosen);
}

/** Only while they are a member of it. */
async function switchedTo<Row extends { readonly id: string; readonly status: string }>(
  db: ControlDb,
  { sessionId }: ReadSession,
  rows: readonly Row[],
): Promise<Row | undefined> {
  if (rows.length < 2) return undefined;
  const chosen = await db
    .selectFrom("session_organizations")
    .select("org_id")
    .where("session_id", "=", sessionId)
    .executeTakeFirst();
  return rows.find(row => row.id === chosen?.org_id && row.status === "active");
}

/** A person accepting their first invitation is not a member yet: they act as a viewer of the inviting organization. */
async function invitedBy(db: ControlDb, session: ReadSession, path: string) {
  const code = /^\/api\/account\/invitations\/([^/]+)\/accept$/.exec(path)?.[1];
  if (code === undefined) return undefined;
  const row = await memberships(db)
    .where("members.invitation", "=", digestOf(code))
    .where("members.email", "=", session.account.email)
    .where("members.status", "=", "invited")
    .executeTakeFirst();
  return row && { ...row, role: "viewer" };
}

function memberships(db: ControlDb) {
  return db
    .selectFrom("members")
    .innerJoin("organizations", "organizations.id", "members.org_id")
    .select(["organizations.id", "organizations.name", "organizations.tier", "organizations.status"])
    .select(["members.role", "members.id as memberId", "members.signed_out_at as signedOutAt"]);
}

function activeOrganization(row: {
  readonly id: string;
  readonly name: string;
  readonly tier: string;
  readonly status: string;
}): OrganizationContext {
  if (row.status !== "active") throw fail("organization_inactive", `The organization is ${row.status}`);
  return { id: row.id, name: row.name, tier: fromRow("organizations", row).tier };
}
