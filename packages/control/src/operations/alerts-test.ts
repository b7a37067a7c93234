import type { alertsTest as operation } from "@tollgate/core/contract/alerts-test";
import { alertPreferencesOf } from "./alert-preferences-of.ts";
import type { Handler } from "./handler.ts";

/** Says of each channel that has an address what became of the notification. */
export const alertsTest: Handler<typeof operation> = async ({ db, organization }) => {
  const preferences = await alertPreferencesOf(db, organization.id);
  const addresses = [
    ["email", preferences.email],
    ["slack", preferences.slack_webhook],
    ["telegram", preferences.telegram_chat_id],
    ["webhook", preferences.webhook_url],
  ] as const;
  return {
    channels: addresses
      .filter(([, address]) => address !== null)
      .map(([channel]) => ({
        channel,
        delivered: false,
        error: "This server does not send notifications yet",
      })),
  };
};
