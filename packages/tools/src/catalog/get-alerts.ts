import { alertSeverities } from "@tollgate/core/alerts/alert-types";
import { alertResource } from "@tollgate/core/contract/alerts";
import { z } from "zod";
import { count } from "../format-amounts.ts";
import { listLines } from "../list-lines.ts";
import { quoted } from "../quoted.ts";
import { reads, tool } from "../tool.ts";

const { notifications: _, ...alertFields } = alertResource.shape;

export const getAlerts = tool({
  name: "svc_get_alerts",
  domain: "Alerts",
  title: "Alerts",
  description:
    "What has gone wrong: cost spikes, error rates, usage spikes, idle agents, budgets near or over their limit; newest first. Lists only unread alerts by default; svc_acknowledge_alert marks them as read. Not for what is about to go wrong: svc_get_failure_predictions.",
  input: z.strictObject({
    severity: z.enum(alertSeverities).optional().meta({ description: "Only this severity" }),
    unread_only: z.boolean().default(true).meta({ description: "false: include read alerts" }),
    limit: z.int().min(1).max(100).default(25).meta({ description: "Maximum number of alerts" }),
  }),
  output: z.strictObject({ alerts: z.array(z.strictObject(alertFields)) }),
  annotations: reads,
  async run(call, query) {
    const { alerts } = await call("alerts.list", query);
    return { alerts: alerts.map(({ notifications: _sent, ...alert }) => alert) };
  },
  render({ alerts }, { unread_only, limit }) {
    if (alerts.length === 0) return unread_only ? "No unread alerts." : "No alerts.";
    const more = alerts.length === limit ? " There may be more: raise limit, or acknowledge these." : "";
    return [
      `${count(alerts.length, unread_only ? "unread alert" : "alert")}, newest first.${more}`,
      ...listLines(
        alerts,
        alert =>
          `${alert.id}: ${alert.severity} ${kindOf(alert)} at ${alert.triggered_at}${alert.agent_id === null ? "" : `, agent ${alert.agent_id}`}: ${quoted(alert.message, 300)}${alert.is_read ? ", read" : ""}${alert.resolved_at === null ? "" : `, over since ${alert.resolved_at}`}`,
        25,
      ),
    ].join("\n");
  },
});

/** The type alone would present a slow agent as an error rate. */
function kindOf({
  type,
  metadata: { kind },
}: {
  readonly type: string;
  readonly metadata: { kind?: unknown };
}) {
  return typeof kind === "string" && kind !== type ? `${quoted(kind)} (type ${type})` : type;
}
