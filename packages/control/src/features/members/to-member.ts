import { toIsoTime } from "@tollgate/core/contract/fields/iso-time";
import type { memberResource } from "@tollgate/core/contract/members";
import { fromRow } from "@tollgate/storage/database/from-row";
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
  const { role, status } = fromRow("members", row);
  return {
    id: row.id,
    email: row.email,
    role,
    status,
    created_at: toIsoTime(row.created_at),
  };
}
