import { z } from "zod";
import { alertChannels, alertTypes } from "../alerts/alert-types.ts";
import {
  alertPreferences,
  thresholdHours,
  thresholdMultiplier,
  thresholdPct,
} from "../alerts/preferences.ts";
import { thresholdActions, thresholdMetrics } from "../alerts/threshold.ts";
import { isoTime } from "./fields/iso-time.ts";
import { idParams, objectId } from "./fields/object-id.ts";
import { outgoingUrl } from "./fields/outgoing-url.ts";
import { declareOperations, readAccess, writeAccess } from "./operation.ts";

const MAX_ADDRESSES = 10;

/** One address, or several with commas between them. */
const emailAddresses = z
  .string()
  .max(2000)
  .refine(text => {
    const parts = text.split(",");
    return (
      parts.length <= MAX_ADDRESSES && parts.every(part => z.email().max(320).safeParse(part.trim()).success)
    );
  }, `must be an e-mail address, or up to ${MAX_ADDRESSES} with commas between them`);

const alertThresholdFields = {
  metric: z.enum(thresholdMetrics),
  threshold_value: z.number().gt(0).max(1_000_000_000_000).meta({
    description: "Costs in cents, an error rate as a decimal of at most 1, latency in milliseconds",
  }),
  action: z.enum(thresholdActions),
};

export const alertThresholdResource = z
  .strictObject({
    id: z.string(),
    agent_id: z.string().nullable().meta({ description: "null: the whole organization" }),
    ...alertThresholdFields,
    has_address: z.boolean().meta({
      description: "false: alerts have no address for this action, so one is raised, but sent nowhere",
    }),
    created_at: isoTime,
    updated_at: isoTime,
  })
  .meta({ id: "AlertThreshold" });

export const alertsWebhookSecretResource = z
  .strictObject({
    secret: z.string(),
    created_at: isoTime,
    previous_secret_until: isoTime.nullable().meta({
      description: "Until then messages are also signed with the previous secret; null: there is none",
    }),
  })
  .meta({ id: "AlertWebhookSecret" });

const enabled = z.boolean().optional();
const channels = z
  .array(z.enum(alertChannels))
  .max(alertChannels.length)
  .refine(names => new Set(names).size === names.length, "must name each channel once")
  .optional();

const TELEGRAM_CHAT = "must be a chat's number or @name";

/** Stored as text: group ids are negative numbers, channels have names. Telegram's own answers show numbers. */
const telegramChatId = z.union(
  [z.string().regex(/^(-?\d{1,32}|@\w{1,64})$/, TELEGRAM_CHAT), z.int().transform(String)],
  TELEGRAM_CHAT,
);

/** A budget's warning threshold is a percentage of its limit. */
const partPct = z.number().min(0).max(100);

export const alertPreferenceOperations = declareOperations({
  "alerts.preferences.get": {
    method: "GET",
    path: "/api/alerts/preferences",
    summary: "Which alerts are raised, and where they are sent",
    output: z.strictObject({ organization_id: z.string(), ...alertPreferences.shape }).meta({
      description: "Without write access, addresses of webhooks end after the host",
    }),
    ...readAccess,
    minTier: "lite",
  },
  "alerts.preferences.update": {
    method: "PATCH",
    path: "/api/alerts/preferences",
    summary:
      "Change which alerts are raised and where they are sent; omitted fields stay unchanged, null removes an address",
    body: z.strictObject({
      email: emailAddresses.nullable().optional(),
      slack_webhook: outgoingUrl.nullable().optional(),
      telegram_chat_id: telegramChatId.nullable().optional(),
      webhook_url: outgoingUrl.nullable().optional(),
      cost_spike_enabled: enabled,
      cost_spike_threshold_pct: thresholdPct.optional(),
      cost_spike_channels: channels,
      error_rate_enabled: enabled,
      error_rate_threshold_pct: thresholdPct.optional(),
      error_rate_channels: channels,
      usage_spike_enabled: enabled,
      usage_spike_threshold_multiplier: thresholdMultiplier.optional(),
      usage_spike_channels: channels,
      idle_agent_enabled: enabled,
      idle_agent_threshold_hours: thresholdHours.optional(),
      idle_agent_channels: channels,
      budget_warning_enabled: enabled,
      budget_warning_threshold_pct: partPct.optional(),
      budget_warning_channels: channels,
    }),
    output: z.strictObject({
      organization_id: z.string(),
      updated_at: isoTime,
      alert_types: z.array(z.enum(alertTypes)),
    }),
    ...writeAccess,
    minTier: "lite",
  },
  "alerts.thresholds.delete": {
    method: "DELETE",
    path: "/api/alerts/thresholds/:id",
    summary: "Delete a threshold rule; agents that it has paused stay paused",
    params: idParams,
    ...writeAccess,
  },
  "alerts.thresholds.list": {
    method: "GET",
    path: "/api/alerts/thresholds",
    summary: "Threshold rules, oldest first",
    output: z.strictObject({ thresholds: z.array(alertThresholdResource) }),
    ...readAccess,
  },
  "alerts.thresholds.set": {
    method: "POST",
    path: "/api/alerts/thresholds",
    summary:
      "Set an action for when a metric reaches a value; replaces a rule for the same agent, metric and action",
    body: z.strictObject({
      agent_id: objectId.optional().meta({ description: "Omitted: the whole organization" }),
      ...alertThresholdFields,
    }),
    output: alertThresholdResource,
    ...writeAccess,
  },
  "alerts.webhook_secret.get": {
    method: "GET",
    path: "/api/alerts/webhook-secret",
    summary: "The signing secret of the alerts' webhook; created on first use",
    output: alertsWebhookSecretResource,
    // Anyone who reads the secret can forge signatures.
    ...writeAccess,
  },
  "alerts.webhook_secret.rotate": {
    method: "POST",
    path: "/api/alerts/webhook-secret/rotate",
    summary: "Replace the signing secret of the alerts' webhook; for a day messages are signed with both",
    body: z.strictObject({}),
    output: alertsWebhookSecretResource,
    ...writeAccess,
    isOrganizationWide: true,
  },
});
