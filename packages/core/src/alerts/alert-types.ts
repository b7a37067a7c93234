export const alertTypes = [
  "cost_spike",
  "error_rate",
  "usage_spike",
  "idle_agent",
  "budget_warning",
] as const;

export type AlertType = (typeof alertTypes)[number];

export const alertSeverities = ["info", "warning", "critical"] as const;

export type AlertSeverity = (typeof alertSeverities)[number];

export const alertChannels = ["email", "slack", "telegram", "webhook"] as const;

export type AlertChannel = (typeof alertChannels)[number];
