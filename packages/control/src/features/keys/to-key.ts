import { toIsoTime } from "@tollgate/core/contract/fields/iso-time";
import type { keyResource } from "@tollgate/core/contract/keys";
import { fromRow } from "@tollgate/storage/database/from-row";
import type { KeyUsage } from "@tollgate/storage/read-model/queries/subject-queries";
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

/** `usage` is undefined if the key was never used. */
export function shownKey(row: KeyRow, usage: KeyUsage | undefined): z.input<typeof keyResource> {
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
    // A key without calls has spent nothing: this zero is known.
    calls: usage === undefined ? 0 : usage.calls,
    spend_microcents: usage === undefined ? 0 : usage.cost_microcents,
    unpriced_calls: usage === undefined ? 0 : usage.unpriced_calls,
    last_used_at: usage === undefined ? null : toIsoTime(usage.last_at),
  };
}
