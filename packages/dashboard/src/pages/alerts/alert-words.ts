import type { AlertChannel, AlertSeverity, AlertType } from "@tollgate/core/alerts/alert-types";
import type { ThresholdAction, ThresholdMetric } from "@tollgate/core/alerts/threshold";

export const severityKinds = { critical: "bad", warning: "warning", info: "plain" } as const satisfies Record<
  AlertSeverity,
  string
>;

export const typeTitles: Readonly<Record<AlertType, string>> = {
  cost_spike: "Cost spike",
  error_rate: "Error rate",
  usage_spike: "Usage spike",
  idle_agent: "Idle agent",
  budget_warning: "Budget warning",
};

export const channelTitles: Readonly<Record<AlertChannel, string>> = {
  email: "E-mail",
  slack: "Slack",
  telegram: "Telegram",
  webhook: "Webhook",
};

export const notificationKinds = {
  pending: "plain",
  delivered: "good",
  failed: "bad",
  cancelled: "warning",
} as const;

export const metricTitles: Readonly<Record<ThresholdMetric, string>> = {
  daily_cost: "Cost of a UTC day",
  monthly_cost: "Cost of a UTC month",
  error_rate: "Share of failed calls in the last hour",
  latency_p99: "Duration of the slowest 1% in the last hour",
};

export const actionTitles: Readonly<Record<ThresholdAction, string>> = {
  email: "Send an e-mail",
  webhook: "Call the alert webhook",
  pause_agent: "Pause the agent",
};
