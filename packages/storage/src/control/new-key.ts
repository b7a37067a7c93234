import type { Mode } from "@tollgate/core/event";
import type { Insertable } from "kysely";
import { digestOf, newKeyText } from "./api-key.ts";
import type { ControlSchema } from "./schema.ts";

export interface KeyToMake {
  readonly id: string;
  readonly orgId: string;
  readonly mode: Mode;
  readonly scope: "read" | "write";
  readonly role: "viewer" | "admin" | "owner";
  readonly name: string | null;
  readonly now: number;
}

/** A key's text, to be shown once, and the row that is stored: its digest and last four characters. */
export function newKey(wanted: KeyToMake) {
  const key = newKeyText(wanted.mode);
  const row = {
    id: wanted.id,
    org_id: wanted.orgId,
    digest: digestOf(key),
    last_four: key.slice(-4),
    mode: wanted.mode,
    scope: wanted.scope,
    role: wanted.role,
    name: wanted.name,
    created_at: wanted.now,
    revoked_at: null,
  } satisfies Insertable<ControlSchema["api_keys"]>;
  return { key, row };
}
