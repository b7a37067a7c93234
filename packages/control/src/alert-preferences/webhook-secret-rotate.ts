import type { alertsWebhookSecretRotate as operation } from "@tollgate/core/contract/alert-preferences/webhook-secret-rotate";
import type { Handler } from "../kernel/handler.ts";
import { toAlertWebhookSecret } from "./to-webhook-secret.ts";
import { rotateAlertWebhookSecret } from "./webhook-secret.ts";

export const alertsWebhookSecretRotate: Handler<typeof operation> = async context =>
  toAlertWebhookSecret(await rotateAlertWebhookSecret(context, context.organization.id), context.now());
