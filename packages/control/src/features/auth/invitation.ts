import { DAY_MS } from "@tollgate/core/time/durations";
import { digestOf } from "@tollgate/storage/config/api-key";
import type { ControlDb } from "@tollgate/storage/database/schema";

const VALID_MS = 7 * DAY_MS;

/** A bearer code that accepts the invitation. The inviter sees it once; only its digest is stored. */
export function newInvitationCode(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url");
}

export function isInvitationCode(text: string): boolean {
  return /^[\w-]{43}$/.test(text);
}

interface OpenInvitation {
  readonly email: string;
  readonly organizationName: string;
}

/** null: used, revoked or expired. */
export async function findInvitation(
  db: ControlDb,
  code: string,
  now: number,
): Promise<OpenInvitation | null> {
  const row = await db
    .selectFrom("members")
    .innerJoin("organizations", "organizations.id", "members.org_id")
    .select(["members.email", "organizations.name as organizationName"])
    .where("members.invitation", "=", digestOf(code))
    .where("members.status", "=", "invited")
    .where("members.created_at", ">", now - VALID_MS)
    .executeTakeFirst();
  return row ?? null;
}

/** False: another request claimed it first, or it has ended. Accepting twice with one account changes nothing. */
export async function claimInvitation(
  db: ControlDb,
  code: string,
  account: { readonly id: string; readonly email: string },
  now: number,
): Promise<boolean> {
  const claimed = await db
    .updateTable("members")
    .set({ status: "active", user_id: account.id })
    .where("invitation", "=", digestOf(code))
    .where("email", "=", account.email)
    .where(row =>
      row.or([
        row.and([row("status", "=", "invited"), row("created_at", ">", now - VALID_MS)]),
        row.and([row("status", "=", "active"), row("user_id", "=", account.id)]),
      ]),
    )
    .returning("id")
    .executeTakeFirst();
  return claimed !== undefined;
}
