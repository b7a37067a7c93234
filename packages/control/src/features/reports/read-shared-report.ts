import { toIsoTime } from "@tollgate/core/contract/fields/iso-time";
import type { sharedReport } from "@tollgate/core/contract/reports";
import type { z } from "zod";
import type { Control } from "../../kernel/context.ts";
import { shareTokenDigest } from "./share-token.ts";

export type SharedReport = z.infer<typeof sharedReport>;

/** null: unknown, expired or revoked, or its organization is not active. Callers cannot tell which. */
export async function readSharedReport(
  { db, now }: Pick<Control, "db" | "now">,
  token: string,
): Promise<SharedReport | null> {
  const row = await db
    .selectFrom("report_snapshots")
    .innerJoin("organizations", "organizations.id", "report_snapshots.org_id")
    .select(["snapshot", "snapshot_hash", "methodology_version", "report_snapshots.created_at", "expires_at"])
    .where("token_digest", "=", shareTokenDigest(token))
    .where("expires_at", ">", now())
    .where("revoked_at", "is", null)
    .where("organizations.status", "=", "active")
    .executeTakeFirst();
  if (row === undefined) return null;
  return {
    snapshot_hash: row.snapshot_hash,
    methodology_version: row.methodology_version,
    created_at: toIsoTime(row.created_at),
    expires_at: toIsoTime(row.expires_at),
    // We wrote it, maybe with an older version: it is shown as it is.
    snapshot: JSON.parse(row.snapshot) as SharedReport["snapshot"],
  };
}
