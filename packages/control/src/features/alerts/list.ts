import { toIsoTime } from "@tollgate/core/contract/fields/iso-time";
import { fromRow } from "@tollgate/storage/database/from-row";
import { inScope } from "@tollgate/storage/ledger/in-scope";
import type { Context } from "../../kernel/context.ts";
import type { Handler } from "../../kernel/handler.ts";
import { listWindow } from "../../kernel/list-window.ts";
import { type AlertNotification, type AlertRow, channelOf, toAlert } from "./to-alert.ts";

export const alertsList: Handler<"alerts.list"> = async (context, input) => {
  const { db, scope } = context;
  const { from, to } = listWindow(context, input);
  let query = db.selectFrom("alerts").selectAll().where(inScope(scope)).where("triggered_at", ">=", from);
  if (to !== undefined) query = query.where("triggered_at", "<", to);
  if (input.resolved !== undefined)
    query = query.where("resolved_at", input.resolved ? "is not" : "is", null);
  if (input.type !== undefined) query = query.where("type", "=", input.type);
  if (input.severity !== undefined) query = query.where("severity", "=", input.severity);
  if (input.unread_only) query = query.where("read_at", "is", null);
  const rows = await query
    .orderBy("triggered_at", "desc")
    .orderBy("id", "desc")
    .limit(input.limit)
    .offset(input.offset)
    .execute();
  const notifications = await notificationsOf(context, rows);
  return { alerts: rows.map(row => toAlert(row, notifications.get(row.id) ?? [])) };
};

async function notificationsOf({ db }: Context, alerts: readonly AlertRow[]) {
  const found = new Map<string, AlertNotification[]>();
  if (alerts.length === 0) return found;
  const rows = await db
    .selectFrom("deliveries")
    .select(["id", "subject_id", "channel", "status", "finished_at"])
    .where(
      "subject_id",
      "in",
      alerts.map(({ id }) => id),
    )
    .where("channel", "<>", "webhook")
    .orderBy("id")
    .execute();
  const attempts = await lastAttempts(db, rows);
  for (const row of rows) {
    const { channel, status } = fromRow("deliveries", row);
    // The query excludes these; this narrows the type.
    if (channel === "webhook") continue;
    const last = attempts.get(row.id);
    const ofAlert = found.get(row.subject_id) ?? [];
    found.set(row.subject_id, ofAlert);
    ofAlert.push({
      channel: channelOf(channel),
      status,
      attempts: last?.number ?? 0,
      last_error: last?.error ?? null,
      finished_at: row.finished_at === null ? null : toIsoTime(row.finished_at),
    });
  }
  return found;
}

/** The last attempt by delivery. Attempts are numbered from 1, so its number is their count. */
async function lastAttempts(db: Context["db"], deliveries: readonly { readonly id: string }[]) {
  if (deliveries.length === 0) return new Map();
  const rows = await db
    .selectFrom("delivery_attempts")
    .select(["delivery_id", "number", "error"])
    .where(
      "delivery_id",
      "in",
      deliveries.map(({ id }) => id),
    )
    .orderBy("number")
    .execute();
  return new Map(rows.map(row => [row.delivery_id, row]));
}
