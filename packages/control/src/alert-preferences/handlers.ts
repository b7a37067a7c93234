import type { alertPreferenceOperations } from "@tollgate/core/contract/alert-preferences";
import type { Handlers } from "../kernel/handler.ts";
import { alertsPreferencesGet } from "./get.ts";
import { alertsThresholdsDelete } from "./thresholds-delete.ts";
import { alertsThresholdsList } from "./thresholds-list.ts";
import { alertsThresholdsSet } from "./thresholds-set.ts";
import { alertsPreferencesUpdate } from "./update.ts";
import { alertsWebhookSecretGet } from "./webhook-secret-get.ts";
import { alertsWebhookSecretRotate } from "./webhook-secret-rotate.ts";

export const alertPreferenceHandlers: Handlers<typeof alertPreferenceOperations> = {
  "alerts.preferences.get": alertsPreferencesGet,
  "alerts.preferences.update": alertsPreferencesUpdate,
  "alerts.thresholds.delete": alertsThresholdsDelete,
  "alerts.thresholds.list": alertsThresholdsList,
  "alerts.thresholds.set": alertsThresholdsSet,
  "alerts.webhook_secret.get": alertsWebhookSecretGet,
  "alerts.webhook_secret.rotate": alertsWebhookSecretRotate,
};
