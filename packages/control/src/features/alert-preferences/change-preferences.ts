import type { AlertPreferences } from "@tollgate/core/alerts/preferences";
import type { InputOf } from "@tollgate/core/contract/operation";
import type { Operations } from "@tollgate/core/contract/operations";

type AlertPreferencesChange = InputOf<Operations["alerts.preferences.update"]>;

/** Applies the flat fields of the request to the nested preferences; omitted fields stay unchanged. */
export function changeAlertPreferences(
  known: AlertPreferences,
  change: AlertPreferencesChange,
): AlertPreferences {
  return {
    email: updated(change.email, known.email),
    slack_webhook: updated(change.slack_webhook, known.slack_webhook),
    telegram_chat_id: updated(change.telegram_chat_id, known.telegram_chat_id),
    webhook_url: updated(change.webhook_url, known.webhook_url),
    cost_spike: {
      enabled: updated(change.cost_spike_enabled, known.cost_spike.enabled),
      threshold_pct: updated(change.cost_spike_threshold_pct, known.cost_spike.threshold_pct),
      channels: updated(change.cost_spike_channels, known.cost_spike.channels),
    },
    error_rate: {
      enabled: updated(change.error_rate_enabled, known.error_rate.enabled),
      threshold_pct: updated(change.error_rate_threshold_pct, known.error_rate.threshold_pct),
      channels: updated(change.error_rate_channels, known.error_rate.channels),
    },
    usage_spike: {
      enabled: updated(change.usage_spike_enabled, known.usage_spike.enabled),
      threshold_multiplier: updated(
        change.usage_spike_threshold_multiplier,
        known.usage_spike.threshold_multiplier,
      ),
      channels: updated(change.usage_spike_channels, known.usage_spike.channels),
    },
    idle_agent: {
      enabled: updated(change.idle_agent_enabled, known.idle_agent.enabled),
      threshold_hours: updated(change.idle_agent_threshold_hours, known.idle_agent.threshold_hours),
      channels: updated(change.idle_agent_channels, known.idle_agent.channels),
    },
    budget_warning: {
      enabled: updated(change.budget_warning_enabled, known.budget_warning.enabled),
      threshold_pct: updated(change.budget_warning_threshold_pct, known.budget_warning.threshold_pct),
      channels: updated(change.budget_warning_channels, known.budget_warning.channels),
    },
  };
}

/** Only undefined keeps the known value: null removes an address. */
function updated<Value>(change: Value | undefined, known: Value): Value {
  return change === undefined ? known : change;
}
