import { alertOperations } from "@tollgate/core/contract/alerts";
import { z } from "zod";
import { count } from "../format-amounts.ts";
import { uuid } from "../parameters.ts";
import { tool } from "../tool.ts";

export const acknowledgeAlert = tool({
  name: "svc_acknowledge_alert",
  domain: "Alerts",
  title: "Acknowledge alerts",
  description:
    "Marks alerts as read: svc_get_alerts then lists them only with unread_only false. If one of the ids does not exist, none is marked. It does not fix the cause of an alert. Not for predictions.",
  input: z.strictObject({
    alert_ids: z.array(uuid("UUID of an alert")).min(1).max(50).meta({ description: "1 to 50 alerts" }),
  }),
  output: alertOperations["alerts.acknowledge"].output,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  run: (call, { alert_ids }) =>
    call("alerts.acknowledge", { action: "acknowledge", alert_ids: [...new Set(alert_ids)] }),
  render: ({ acknowledged }) => `${count(acknowledged, "alert")} marked as read.`,
});
