import type { Handler } from "../kernel/handler.ts";
import { toAlertWebhookSecret } from "./to-webhook-secret.ts";
import { rotateAlertWebhookSecret } from "./webhook-secret.ts";

export const alertsWebhookSecretRotate: Handler<"alerts.webhook_secret.rotate"> = async context =>
  toAlertWebhookSecret(await rotateAlertWebhookSecret(context, context.organization.id), context.now());
