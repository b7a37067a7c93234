import type { Handler } from "../kernel/handler.ts";
import { toAlertWebhookSecret } from "./to-webhook-secret.ts";
import { alertWebhookSecret } from "./webhook-secret.ts";

export const alertsWebhookSecretGet: Handler<"alerts.webhook_secret.get"> = async context =>
  toAlertWebhookSecret(await alertWebhookSecret(context, context.organization.id), context.now());
