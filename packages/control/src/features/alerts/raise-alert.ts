import { addressIn } from "@tollgate/core/alerts/address-in";
import type { AlertDraft } from "@tollgate/core/alerts/alert-draft";
import type { AlertChannel } from "@tollgate/core/alerts/alert-types";
import type { ControlTransaction } from "@tollgate/storage/database/schema";
import type { Scope } from "@tollgate/storage/ledger/scope";
import type { Control } from "../../kernel/context.ts";
import type { DeliveryChannel } from "../../kernel/transport.ts";
import { bodyOf, type NewDelivery, receiverOf } from "../../messaging/delivery/delivery.ts";
import { enqueueDeliveries } from "../../messaging/delivery/enqueue-deliveries.ts";
import { enqueueWebhooks } from "../../messaging/delivery/enqueue-webhooks.ts";
import { alertPreferencesOf } from "../alert-preferences/preferences-of.ts";
import { type AlertRow, toAlert } from "./to-alert.ts";

type Parts = Pick<Control, "db" | "engine" | "now" | "newId" | "wakeSender">;

/** What an alert records about its side effect. */
export type AmendAlert = (draft: AlertDraft) => AlertDraft;

/** A side effect of an alert; undefined: there is nothing to record. */
export type SideEffect = (transaction: ControlTransaction) => Promise<AmendAlert | undefined>;

/**
 * Writes an alert, its deliveries and its side effect in one transaction: all of them, and exactly once per rule,
 * subject and period, however often the rule is evaluated. Resolves with whether the alert is new.
 */
export async function raiseAlert(
  parts: Parts,
  scope: Scope,
  draft: AlertDraft,
  sideEffect?: SideEffect,
): Promise<boolean> {
  const row: AlertRow = {
    id: parts.newId(),
    org_id: scope.orgId,
    mode: scope.mode,
    alert_key: `${draft.ruleKey}:${draft.period}`,
    rule_key: draft.ruleKey,
    type: draft.type,
    severity: draft.severity,
    message: draft.message,
    metadata: JSON.stringify(draft.metadata),
    agent_id: draft.agentId,
    triggered_at: parts.now(),
    read_at: null,
    resolved_at: null,
    live_seq: null,
  };
  const receivers = await parts.db.transaction().execute(async transaction => {
    const { numInsertedOrUpdatedRows } = await transaction
      .insertInto("alerts")
      .values(row)
      .onConflict(conflict => conflict.columns(["org_id", "mode", "alert_key"]).doNothing())
      .executeTakeFirst();
    if (numInsertedOrUpdatedRows === 0n) return null;
    const amend = await sideEffect?.(transaction);
    if (amend === undefined) return await announce(transaction, parts, scope, row, draft);
    const { message, metadata } = amend(draft);
    const text = { message, metadata: JSON.stringify(metadata) };
    await transaction.updateTable("alerts").set(text).where("id", "=", row.id).execute();
    return await announce(transaction, parts, scope, { ...row, ...text }, draft);
  });
  if (receivers !== null) parts.wakeSender(receivers);
  return receivers !== null;
}

async function announce(
  transaction: ControlTransaction,
  parts: Parts,
  scope: Scope,
  row: AlertRow,
  draft: AlertDraft,
): Promise<readonly string[]> {
  const preferences = await alertPreferencesOf(transaction, scope.orgId);
  const channels =
    draft.notify !== "preferences"
      ? draft.notify
      : preferences[draft.type].enabled
        ? preferences[draft.type].channels
        : [];
  const { is_read, resolved_at, notifications, ...alert } = toAlert(row, []);
  const organization = await transaction
    .selectFrom("organizations")
    .select("name")
    .where("id", "=", scope.orgId)
    .executeTakeFirst();
  const data = {
    organization_id: row.org_id,
    organization_name: organization?.name ?? null,
    mode: row.mode,
    ...alert,
  };
  const body = bodyOf("alert.triggered", row.triggered_at, data);
  const deliveries = [...new Set(channels)]
    .filter(channel => addressIn(preferences, channel) !== null)
    .map((channel): NewDelivery => {
      const deliveryChannel = deliveryChannelOf(channel);
      return {
        orgId: scope.orgId,
        mode: scope.mode,
        channel: deliveryChannel,
        receiver: receiverOf(deliveryChannel, scope.orgId),
        kind: "alert.triggered",
        subjectId: row.id,
        body,
      };
    });
  const receivers = [
    ...(await enqueueDeliveries(transaction, parts, deliveries)),
    ...(await enqueueWebhooks(transaction, parts, scope, "alert.triggered", row.id, data)),
  ];
  if (draft.metadata.kind !== "limit") return receivers;
  return [
    ...receivers,
    ...(await enqueueWebhooks(transaction, parts, scope, "budget.exceeded", row.id, data)),
  ];
}

export function deliveryChannelOf(channel: AlertChannel): Exclude<DeliveryChannel, "webhook"> {
  return channel === "webhook" ? "alert_webhook" : channel;
}
