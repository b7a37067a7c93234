import { toIsoTime } from "@tollgate/core/contract/fields/iso-time";
import type { OutputOf } from "@tollgate/core/contract/operation";
import type { reportOperations } from "@tollgate/core/contract/reports";
import { DAY_MS } from "@tollgate/core/time/durations";
import { canonicalJson } from "@tollgate/core/wire/canonical-json";
import type { ControlSchema } from "@tollgate/storage/database/schema";
import { inScope } from "@tollgate/storage/ledger/in-scope";
import type { Selectable } from "kysely";
import { actorName } from "../../kernel/actor-name.ts";
import type { Handlers, PublicHandlers } from "../../kernel/handler.ts";
import { notFound } from "../../kernel/not-found.ts";
import { readPageByTime } from "../../kernel/read-page-by-time.ts";
import { freezeReport } from "./freeze-report.ts";
import { METHODOLOGY_VERSION } from "./methodology.ts";
import { readSharedReport } from "./read-shared-report.ts";
import { newShareToken, shareTokenDigest } from "./share-token.ts";

type ReportRow = Omit<Selectable<ControlSchema["report_snapshots"]>, "snapshot">;

/** Without the snapshot, which may be large. */
const listed = [
  "id",
  "org_id",
  "mode",
  "title",
  "token_digest",
  "snapshot_hash",
  "methodology_version",
  "created_by",
  "created_at",
  "expires_at",
  "revoked_at",
] as const;

export const reportHandlers: Handlers<typeof reportOperations> = {
  "reports.create": async (context, { title = "Executive report", days, expires_in_days: lasts }) => {
    const { db, scope, newId, publicUrl } = context;
    const snapshot = canonicalJson(await freezeReport(context, { title, days }));
    const token = newShareToken();
    const createdAt = context.now();
    const row = {
      id: newId(),
      org_id: scope.orgId,
      mode: scope.mode,
      title,
      token_digest: shareTokenDigest(token),
      snapshot_hash: new Bun.SHA256().update(snapshot).digest("hex"),
      methodology_version: METHODOLOGY_VERSION,
      created_by: actorName(context.actor),
      created_at: createdAt,
      expires_at: createdAt + lasts * DAY_MS,
      revoked_at: null,
    };
    await db
      .insertInto("report_snapshots")
      .values({ ...row, snapshot })
      .execute();
    return { ...toReport(row, createdAt), share_token: token, url: `${publicUrl}/r/${token}` };
  },

  "reports.list": async ({ db, scope, now }, page) => {
    const query = db.selectFrom("report_snapshots").select(listed).where(inScope(scope));
    const { shown, next_cursor } = await readPageByTime(query, page);
    return { reports: shown.map(row => toReport(row, now())), next_cursor };
  },

  "reports.revoke": async ({ db, scope, now }, { id }) => {
    const own = db.updateTable("report_snapshots").where(inScope(scope)).where("id", "=", id);
    // Revoking again keeps the first time.
    await own.set({ revoked_at: now() }).where("revoked_at", "is", null).execute();
    const row = await db
      .selectFrom("report_snapshots")
      .select(listed)
      .where(inScope(scope))
      .where("id", "=", id)
      .executeTakeFirst();
    if (row === undefined) throw notFound("report");
    return toReport(row, now());
  },
};

export const publicReportHandlers: Pick<PublicHandlers, "reports.read"> = {
  "reports.read": async (control, { id }) => {
    const report = await readSharedReport(control, id);
    if (report === null) throw notFound("report");
    return report;
  },
};

type Report = OutputOf<(typeof reportOperations)["reports.revoke"]>;

function toReport(row: ReportRow, now: number): Report {
  const { id, title, snapshot_hash, methodology_version, created_by, revoked_at } = row;
  return {
    id,
    title,
    status: revoked_at !== null ? "revoked" : row.expires_at <= now ? "expired" : "active",
    snapshot_hash,
    methodology_version,
    created_by,
    created_at: toIsoTime(row.created_at),
    expires_at: toIsoTime(row.expires_at),
    revoked_at: revoked_at === null ? null : toIsoTime(revoked_at),
  };
}
