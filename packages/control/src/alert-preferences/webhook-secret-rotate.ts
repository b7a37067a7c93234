import type { alertsWebhookSecretRotate as operation } from "@tollgate/core/contract/alert-preferences/webhook-secret-rotate";
import { rotateAlertWebhookSecret } from "../channels/alert-webhook-secret.ts";
import type { Handler } from "../kernel/handler.ts";
import { toAlertWebhookSecret } from "./to-webhook-secret.ts";

export const alertsWebhookSecretRotate: Handler<typeof operation> = async context =>
  toAlertWebhookSecret(await rotateAlertWebhookSecret(context, context.organization.id), context.now());
