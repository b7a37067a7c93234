import { z } from "zod";
import { type AlertType, alertChannels, alertTypes } from "./alert-types.ts";

/** An organization's alert settings, with their defaults. */

const rule = { enabled: z.boolean(), channels: z.array(z.enum(alertChannels)) };

export const thresholdPct = z.number().min(0).max(100_000);
export const thresholdMultiplier = z.number().min(1).max(100_000);
export const thresholdHours = z.number().gt(0).max(8760);

export const alertPreferences = z.strictObject({
  email: z.string().nullable(),
  slack_webhook: z.string().nullable(),
  telegram_chat_id: z.string().nullable(),
  webhook_url: z.string().nullable(),
  cost_spike: z.strictObject({ ...rule, threshold_pct: thresholdPct }),
  error_rate: z.strictObject({ ...rule, threshold_pct: thresholdPct }),
  usage_spike: z.strictObject({ ...rule, threshold_multiplier: thresholdMultiplier }),
  idle_agent: z.strictObject({ ...rule, threshold_hours: thresholdHours }),
  budget_warning: z.strictObject({ ...rule, threshold_pct: thresholdPct }),
});

export type AlertPreferences = z.infer<typeof alertPreferences>;

/** By default, alerts go to every channel with an address. */
const onEveryChannel = { enabled: true, channels: [...alertChannels] };

export const defaultAlertPreferences: AlertPreferences = {
  email: null,
  slack_webhook: null,
  telegram_chat_id: null,
  webhook_url: null,
  cost_spike: { ...onEveryChannel, threshold_pct: 50 },
  error_rate: { ...onEveryChannel, threshold_pct: 10 },
  usage_spike: { ...onEveryChannel, threshold_multiplier: 3 },
  idle_agent: { ...onEveryChannel, threshold_hours: 24 },
  budget_warning: { ...onEveryChannel, threshold_pct: 80 },
};

/** Parses the stored text; null: never set. */
export function readAlertPreferences(stored: string | null): AlertPreferences {
  return stored === null ? defaultAlertPreferences : alertPreferences.parse(JSON.parse(stored));
}

export function enabledAlertTypes(preferences: AlertPreferences): AlertType[] {
  return alertTypes.filter(type => preferences[type].enabled);
}
