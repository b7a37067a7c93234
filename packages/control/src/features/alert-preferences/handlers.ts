import { defaultWarningPct } from "@tollgate/core/alerts/default-warning-pct";
import { type AlertPreferences, enabledAlertTypes } from "@tollgate/core/alerts/preferences";
import type {
  alertPreferenceOperations,
  alertsWebhookSecretResource,
} from "@tollgate/core/contract/alert-preferences";
import { toIsoTime } from "@tollgate/core/contract/fields/iso-time";
import { inScope } from "@tollgate/storage/ledger/in-scope";
import type { z } from "zod";
import type { Context } from "../../kernel/context.ts";
import type { Handlers } from "../../kernel/handler.ts";
import { notFound } from "../../kernel/not-found.ts";
import { changeAlertPreferences } from "./change-preferences.ts";
import { alertPreferencesOf } from "./preferences-of.ts";
import { alertsThresholdsSet } from "./thresholds-set.ts";
import { toAlertThreshold } from "./to-threshold.ts";
import { type AlertWebhookSecret, alertWebhookSecret, rotateAlertWebhookSecret } from "./webhook-secret.ts";

export const alertPreferenceHandlers: Handlers<typeof alertPreferenceOperations> = {
  "alerts.preferences.get": async context => {
    const { db, organization } = context;
    const preferences = await alertPreferencesOf(db, organization.id);
    return {
      organization_id: organization.id,
      ...(mayReadAddresses(context) ? preferences : withoutSecrets(preferences)),
    };
  },

  "alerts.preferences.update": async (context, input) => {
    const orgId = context.organization.id;
    context.targetGuard.refuseAtRegistration("slack_webhook", input.slack_webhook);
    context.targetGuard.refuseAtRegistration("webhook_url", input.webhook_url);
    const now = context.now();
    const changed = await context.db.transaction().execute(async transaction => {
      const preferences = changeAlertPreferences(await alertPreferencesOf(transaction, orgId), input);
      const stored = { preferences: JSON.stringify(preferences), updated_at: now };
      await transaction
        .insertInto("alert_preferences")
        .values({ org_id: orgId, ...stored })
        .onConflict(conflict => conflict.column("org_id").doUpdateSet(stored))
        .execute();
      if (input.budget_warning_threshold_pct !== undefined) {
        // Budgets with their own threshold keep it.
        await transaction
          .updateTable("budgets")
          .set({ warning_pct: defaultWarningPct(preferences), updated_at: now })
          .where("org_id", "=", orgId)
          .where("warning_is_default", "=", 1)
          .execute();
      }
      return preferences;
    });
    return {
      organization_id: orgId,
      updated_at: toIsoTime(now),
      alert_types: enabledAlertTypes(changed),
    };
  },

  "alerts.thresholds.delete": async ({ db, scope }, { id }) => {
    const { numDeletedRows } = await db
      .deleteFrom("alert_thresholds")
      .where(inScope(scope))
      .where("id", "=", id)
      .executeTakeFirst();
    if (numDeletedRows === 0n) throw notFound("threshold");
  },

  "alerts.thresholds.list": async ({ db, scope }) => {
    const rows = await db
      .selectFrom("alert_thresholds")
      .selectAll()
      .where(inScope(scope))
      .orderBy("created_at")
      .orderBy("id")
      .execute();
    const preferences = await alertPreferencesOf(db, scope.orgId);
    return { thresholds: rows.map(row => toAlertThreshold(row, preferences)) };
  },

  "alerts.thresholds.set": alertsThresholdsSet,

  "alerts.webhook_secret.get": async context =>
    toAlertWebhookSecret(await alertWebhookSecret(context, context.organization.id), context.now()),

  "alerts.webhook_secret.rotate": async context =>
    toAlertWebhookSecret(await rotateAlertWebhookSecret(context, context.organization.id), context.now()),
};

/** Anyone who knows the address can post to it, so only those who can change it see it in full. */
function mayReadAddresses({ actor }: Context): boolean {
  return actor.role !== "viewer" && (actor.kind === "member" || actor.permission === "write");
}

function withoutSecrets(preferences: AlertPreferences): AlertPreferences {
  const { slack_webhook, webhook_url } = preferences;
  return { ...preferences, slack_webhook: originOf(slack_webhook), webhook_url: originOf(webhook_url) };
}

function originOf(address: string | null): string | null {
  return address && `${new URL(address).origin}/…`;
}

function toAlertWebhookSecret(
  row: AlertWebhookSecret,
  now: number,
): z.input<typeof alertsWebhookSecretResource> {
  const until = row.previous_secret_until;
  return {
    secret: row.secret,
    created_at: toIsoTime(row.created_at),
    previous_secret_until: until !== null && now < until ? toIsoTime(until) : null,
  };
}
