import { toIsoTime } from "@tollgate/core/contract/fields/iso-time";
import type { keyResource } from "@tollgate/core/contract/keys";
import { fromRow } from "@tollgate/storage/database/from-row";
import type { z } from "zod";

interface KeyRow {
  readonly id: string;
  readonly name: string | null;
  readonly mode: string;
  readonly scope: string;
  readonly last_four: string;
  readonly created_by: string | null;
  readonly created_at: number;
  readonly revoked_at: number | null;
}

export function shownKey(row: KeyRow): z.input<typeof keyResource> {
  const { mode, scope } = fromRow("api_keys", row);
  return {
    id: row.id,
    name: row.name,
    mode,
    scope,
    last_four: row.last_four,
    created_by: row.created_by,
    created_at: toIsoTime(row.created_at),
    revoked_at: row.revoked_at === null ? null : toIsoTime(row.revoked_at),
  };
}
