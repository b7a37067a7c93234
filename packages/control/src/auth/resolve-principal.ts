import { type Role, roles } from "@tollgate/core/contract/operation";
import { fail } from "@tollgate/core/errors";
import type { Mode } from "@tollgate/core/event";
import { isTier } from "@tollgate/core/limits/tiers";
import { apiKeyIn } from "@tollgate/core/wire/api-key-header";
import { digestOf } from "@tollgate/storage/config/api-key";
import type { ControlSchema } from "@tollgate/storage/database/schema";
import type { Kysely } from "kysely";
import type { OrganizationContext, Principal, ResolvePrincipal } from "../kernel/context.ts";
import type { BetterAuth } from "./better-auth.ts";
import { requireJson, requireOwnOrigin } from "./own-origin.ts";
import { type ReadSession, readSession } from "./read-session.ts";

export interface ResolvePrincipalOptions {
  readonly db: Kysely<ControlSchema>;
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
    return await callerOfSession(db, session, request);
  };
}

async function principalOfKey(db: Kysely<ControlSchema>, key: string): Promise<Principal> {
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
      "members.role as creatorRole",
    ])
    .select(["organizations.id", "organizations.name", "organizations.tier", "organizations.status"])
    .where("api_keys.digest", "=", digestOf(key))
    .executeTakeFirst();
  const isOrphan = found?.created_by_user != null && found.creatorRole === null;
  if (!found || found.revoked_at !== null || isOrphan) throw fail("invalid_api_key", "Invalid API key");
  const organization = activeOrganization(found);
  const role = lesserRole(found.role, found.creatorRole ?? "owner");
  return {
    actor: {
      kind: "key",
      keyId: found.keyId,
      permission: found.scope === "write" && role !== "viewer" ? "write" : "read",
      role,
      creator: { shownAs: found.created_by, userId: found.created_by_user },
    },
    organization,
    scope: { orgId: organization.id, mode: found.mode === "live" ? "live" : "test" },
  };
}

/** A key may do what its creator may do today, and never more than they could when they created it. */
function lesserRole(ofKey: string, ofCreator: string): Role {
  const names: readonly string[] = roles;
  const ranks = [ofKey, ofCreator].map(name => names.indexOf(name));
  return roles[Math.min(...ranks)] ?? "viewer";
}

/**
 * A cookie may write only from our own pages. A WebSocket counts as a write: it opens with a GET, then takes
 * commands.
 */
function requireOwnPage(request: Request, origins: ReadonlySet<string>): void {
  const isSocket = request.headers.get("upgrade")?.toLowerCase() === "websocket";
  if (!isSocket && (request.method === "GET" || request.method === "HEAD")) return;
  requireOwnOrigin(request, origins, "refuse");
  if (!isSocket) requireJson(request);
}

async function callerOfSession(
  db: Kysely<ControlSchema>,
  session: ReadSession,
  request: Request,
): Promise<Principal> {
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
  db: Kysely<ControlSchema>,
  session: ReadSession,
  chosen: string | null,
  path: string,
): Promise<Membership> {
  const rows = await memberships(db)
    .where("members.user_id", "=", session.account.id)
    .where("members.status", "=", "active")
    .orderBy("members.created_at")
    .orderBy("members.id")
    .execute();
  const found =
    chosen !== null
      ? rows.find(row => row.id === chosen)
      : (rows.find(row => row.status === "active") ?? rows[0] ?? (await invitedBy(db, session, path)));
  if (found) return { ...found, role: roles.find(role => role === found.role) ?? "viewer" };
  if (chosen !== null && rows.length > 0) throw fail("not_found", "There is no such organization");
  throw fail("not_a_member", "This account belongs to no organization");
}

/** A person accepting their first invitation is no member yet: they act as a viewer of the inviting organization. */
async function invitedBy(db: Kysely<ControlSchema>, session: ReadSession, path: string) {
  const code = /^\/api\/account\/invitations\/([^/]+)\/accept$/.exec(path)?.[1];
  if (code === undefined) return undefined;
  const row = await memberships(db)
    .where("members.invitation", "=", digestOf(code))
    .where("members.email", "=", session.account.email)
    .where("members.status", "=", "invited")
    .executeTakeFirst();
  return row && { ...row, role: "viewer" };
}

function memberships(db: Kysely<ControlSchema>) {
  return db
    .selectFrom("members")
    .innerJoin("organizations", "organizations.id", "members.org_id")
    .select(["organizations.id", "organizations.name", "organizations.tier", "organizations.status"])
    .select("members.role");
}

function activeOrganization(row: {
  readonly id: string;
  readonly name: string;
  readonly tier: string;
  readonly status: string;
}): OrganizationContext {
  if (row.status !== "active") throw fail("organization_inactive", `The organization is ${row.status}`);
  if (!isTier(row.tier)) throw new Error("an organization has an unknown tier");
  return { id: row.id, name: row.name, tier: row.tier };
}
