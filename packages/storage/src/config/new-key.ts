import type { Mode } from "@tollgate/core/event";
import type { Insertable } from "kysely";
import type { ControlSchema } from "../database/schema.ts";
import { digestOf, newKeyText } from "./api-key.ts";

/** What an API key may do; called `scope` on the wire and in the database. */
export type Permission = "read" | "write";

interface KeyOptions {
  readonly id: string;
  readonly orgId: string;
  readonly mode: Mode;
  readonly permission: Permission;
  readonly role: "viewer" | "admin" | "owner";
  readonly name: string | null;
  readonly creator: KeyCreator;
  readonly now: number;
}

/** Who creates a key. Its permission never exceeds that member's current one. */
export interface KeyCreator {
  /** An e-mail address, or `cli`; null: unknown. */
  readonly shownAs: string | null;
  /** null: not a member. */
  readonly userId: string | null;
}

/** A key's text, to be shown once, and the row to store: its digest and last four characters. */
export function newKey(wanted: KeyOptions) {
  const key = newKeyText(wanted.mode);
  const row = {
    id: wanted.id,
    org_id: wanted.orgId,
    digest: digestOf(key),
    last_four: key.slice(-4),
    mode: wanted.mode,
    scope: wanted.permission,
    role: wanted.role,
    name: wanted.name,
    created_by: wanted.creator.shownAs,
    created_by_user: wanted.creator.userId,
    created_at: wanted.now,
    revoked_at: null,
  } satisfies Insertable<ControlSchema["api_keys"]>;
  return { key, row };
}
