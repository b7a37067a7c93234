import type { AlertPreferences } from "@tollgate/core/alerts/preferences";
import type { InputOf } from "@tollgate/core/contract/operation";
import type { Operations } from "@tollgate/core/contract/operations";

type AlertPreferencesChange = InputOf<Operations["alerts.preferences.update"]>;

/** The wire's flat fields onto the nested preferences; what is omitted stays. */
export function changeAlertPreferences(
  known: AlertPreferences,
  change: AlertPreferencesChange,
): AlertPreferences {
  return {
    email: said(change.email, known.email),
    slack_webhook: said(change.slack_webhook, known.slack_webhook),
    telegram_chat_id: said(change.telegram_chat_id, known.telegram_chat_id),
    webhook_url: said(change.webhook_url, known.webhook_url),
    cost_spike: {
      enabled: said(change.cost_spike_enabled, known.cost_spike.enabled),
      threshold_pct: said(change.cost_spike_threshold_pct, known.cost_spike.threshold_pct),
      channels: said(change.cost_spike_channels, known.cost_spike.channels),
    },
    error_rate: {
      enabled: said(change.error_rate_enabled, known.error_rate.enabled),
      threshold_pct: said(change.error_rate_threshold_pct, known.error_rate.threshold_pct),
      channels: said(change.error_rate_channels, known.error_rate.channels),
    },
    usage_spike: {
      enabled: said(change.usage_spike_enabled, known.usage_spike.enabled),
      threshold_multiplier: said(
        change.usage_spike_threshold_multiplier,
        known.usage_spike.threshold_multiplier,
      ),
      channels: said(change.usage_spike_channels, known.usage_spike.channels),
    },
    idle_agent: {
      enabled: said(change.idle_agent_enabled, known.idle_agent.enabled),
      threshold_hours: said(change.idle_agent_threshold_hours, known.idle_agent.threshold_hours),
      channels: said(change.idle_agent_channels, known.idle_agent.channels),
    },
    budget_warning: {
      enabled: said(change.budget_warning_enabled, known.budget_warning.enabled),
      threshold_pct: said(change.budget_warning_threshold_pct, known.budget_warning.threshold_pct),
      channels: said(change.budget_warning_channels, known.budget_warning.channels),
    },
  };
}

/** null is something that was said: it removes an address. */
function said<Value>(change: Value | undefined, known: Value): Value {
  return change === undefined ? known : change;
}
