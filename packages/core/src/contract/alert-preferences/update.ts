import { z } from "zod";
import { alertChannels, alertTypes } from "../../alerts/alert-types.ts";
import { thresholdHours, thresholdMultiplier, thresholdPct } from "../../alerts/preferences.ts";
import { emailAddresses } from "../fields/email-addresses.ts";
import { isoTime } from "../fields/iso-time.ts";
import { outgoingUrl } from "../fields/outgoing-url.ts";
import { operation } from "../operation.ts";

const enabled = z.boolean().optional();
const channels = z
  .array(z.enum(alertChannels))
  .max(alertChannels.length)
  .refine(names => new Set(names).size === names.length, "must name each channel once")
  .optional();

const TELEGRAM_CHAT = "must be a chat's number or @name";

/** Kept as text: numbers of groups are negative, channels have names. Telegram's own answers show numbers. */
const telegramChatId = z.union(
  [z.string().regex(/^(-?\d{1,32}|@\w{1,64})$/, TELEGRAM_CHAT), z.int().transform(String)],
  TELEGRAM_CHAT,
);

/** A budget's warning line is a part of its limit. */
const partPct = z.number().min(0).max(100);

export const alertsPreferencesUpdate = operation({
  id: "alerts.preferences.update",
  method: "PATCH",
  path: "/api/alerts/preferences",
  summary: "Change what is alerted and where it is sent; what is omitted stays, null removes an address",
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
  status: 200,
  scope: "write",
  role: "admin",
  minTier: "lite",
});
