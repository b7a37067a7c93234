import { toIsoTime } from "@tollgate/core/contract/fields/iso-time";
import type { memberResource } from "@tollgate/core/contract/members/resource";
import { type Role, roles } from "@tollgate/core/contract/operation";
import type { z } from "zod";

export const memberColumns = ["id", "email", "role", "status", "created_at"] as const;

interface MemberRow {
  readonly id: string;
  readonly email: string;
  readonly role: string;
  readonly status: string;
  readonly created_at: number;
}

export function shownMember(row: MemberRow): z.input<typeof memberResource> {
  return {
    id: row.id,
    email: row.email,
    role: roleOf(row.role),
    status: row.status === "active" ? "active" : "invited",
    created_at: toIsoTime(row.created_at),
  };
}

/** The database allows no other role; if it did, the least would be granted. */
export function roleOf(text: string): Role {
  return roles.find(role => role === text) ?? "viewer";
}
