import { alertSeverities, alertTypes } from "@tollgate/core/alert-types";
import type { alertsList as operation } from "@tollgate/core/contract/alerts-list";
import { toIsoTime } from "@tollgate/core/contract/iso-time";
import { historyStart } from "@tollgate/core/history-window";
import type { Handler } from "./handler.ts";
import { readMetadata } from "./read-metadata.ts";

export const alertsList: Handler<typeof operation> = async (context, input) => {
  const { db, scope } = context;
  let query = db
    .selectFrom("alerts")
    .selectAll()
    .where("org_id", "=", scope.orgId)
    .where("mode", "=", scope.mode)
    .where("triggered_at", ">=", historyStart(context.organization.tier, context.now()));
  if (input.type !== undefined) query = query.where("type", "=", input.type);
  if (input.severity !== undefined) query = query.where("severity", "=", input.severity);
  if (input.unread_only) query = query.where("read_at", "is", null);
  const rows = await query
    .orderBy("triggered_at", "desc")
    .orderBy("id", "desc")
    .limit(input.limit)
    .offset(input.offset)
    .execute();
  return {
    alerts: rows.map(row => ({
      id: row.id,
      type: alertTypes.find(type => type === row.type) ?? "budget_warning",
      triggered_at: toIsoTime(row.triggered_at),
      severity: alertSeverities.find(severity => severity === row.severity) ?? "warning",
      message: row.message,
      metadata: readMetadata(row.metadata),
      agent_id: row.agent_id,
      is_read: row.read_at !== null,
    })),
  };
};
