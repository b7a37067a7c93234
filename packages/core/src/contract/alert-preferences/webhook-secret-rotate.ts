import { z } from "zod";
import { operation } from "../operation.ts";
import { alertsWebhookSecretResource } from "./webhook-secret-resource.ts";

export const alertsWebhookSecretRotate = operation({
  id: "alerts.webhook_secret.rotate",
  method: "POST",
  path: "/api/alerts/webhook-secret/rotate",
  summary: "Sign the alerts' own webhook with a new secret; the old one signs beside it for a day",
  body: z.strictObject({}),
  output: alertsWebhookSecretResource,
  status: 200,
  scope: "write",
  role: "admin",
});
