import type { alertsWebhookSecretGet as operation } from "@tollgate/core/contract/alert-preferences/webhook-secret-get";
import type { Handler } from "../kernel/handler.ts";
import { toAlertWebhookSecret } from "./to-webhook-secret.ts";
import { alertWebhookSecret } from "./webhook-secret.ts";

export const alertsWebhookSecretGet: Handler<typeof operation> = async context =>
  toAlertWebhookSecret(await alertWebhookSecret(context, context.organization.id), context.now());
