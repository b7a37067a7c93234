import { operation } from "../operation.ts";
import { alertsWebhookSecretResource } from "./webhook-secret-resource.ts";

export const alertsWebhookSecretGet = operation({
  id: "alerts.webhook_secret.get",
  method: "GET",
  path: "/api/alerts/webhook-secret",
  summary: "What the alerts' own webhook is signed with; made when it is first asked for",
  output: alertsWebhookSecretResource,
  status: 200,
  // A reader of the secret can sign as we do.
  scope: "write",
  role: "admin",
});
