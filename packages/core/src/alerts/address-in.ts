import type { AlertChannel } from "./alert-types.ts";
import type { AlertPreferences } from "./preferences.ts";

/** A channel's address; null: not configured. */
export function addressIn(preferences: AlertPreferences, channel: AlertChannel): string | null {
  switch (channel) {
    case "email":
      return preferences.email;
    case "slack":
      return preferences.slack_webhook;
    case "telegram":
      return preferences.telegram_chat_id;
    case "webhook":
      return preferences.webhook_url;
    default:
      return channel satisfies never;
  }
}
