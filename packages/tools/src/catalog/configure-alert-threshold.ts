import { alertThresholdResource } from "@tollgate/core/contract/alert-preferences";
import { z } from "zod";
import { uuid } from "../parameters.ts";
import { sets, tool } from "../tool.ts";

const fields = alertThresholdResource.shape;

const units = {
  daily_cost: "cents a day",
  monthly_cost: "cents a month",
  error_rate: "as a share of calls",
  latency_p99: "ms",
} as const;

export const configureAlertThreshold = tool({
  name: "svc_configure_alert_threshold",
  domain: "Alert configuration",
  title: "Configure an alert threshold",
  description:
    "Sets an action for when a value is reached: mail, webhook, or pausing the agent (the gateway then refuses its calls until it is resumed). It replaces a rule for the same agent, metric and action, and is evaluated on the server from now on. Ask the user before pause_agent. Not for spending limits that block: svc_set_budget.",
  input: z.strictObject({
    agent_id: uuid("UUID of an agent; default: the whole organization").optional(),
    metric: fields.metric,
    threshold_value: fields.threshold_value,
    action: fields.action,
  }),
  output: z.strictObject({
    configured: z.literal(true),
    threshold_id: fields.id,
    threshold: alertThresholdResource,
  }),
  annotations: sets,
  async run(call, input) {
    const threshold = await call("alerts.thresholds.set", input);
    return { configured: true as const, threshold_id: threshold.id, threshold };
  },
  render: ({ threshold_id, threshold: { metric, threshold_value, action, agent_id, has_address } }) =>
    `Threshold ${threshold_id}: ${action} when ${metric} of ${agent_id === null ? "the whole organization" : `agent ${agent_id}`} reaches ${threshold_value} ${units[metric]}.${has_address ? "" : ` No address for ${action} is set in the alert preferences: until one is, the alert is raised, but sent nowhere.`}`,
});
