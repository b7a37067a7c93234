import {
  type AlertChannel,
  type AlertType,
  alertChannels,
  alertTypes,
} from "@tollgate/core/alerts/alert-types";
import { useState } from "react";
import { useRole } from "../../data/session.tsx";
import { type Input, useFormChange } from "../../data/use-operation.ts";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { Form } from "../../parts/form.tsx";
import { channelTitles, typeTitles } from "./alert-words.ts";
import type { Preferences } from "./channels.tsx";

interface Rule {
  readonly enabled: boolean;
  readonly threshold: string;
  readonly channels: readonly AlertChannel[];
}

const lines: Readonly<Record<AlertType, { readonly before: string; readonly unit: string }>> = {
  cost_spike: { before: "A UTC day’s cost exceeds the mean of the last 7 days by", unit: "%" },
  error_rate: { before: "In the last hour (at least 20 calls), the error rate exceeds", unit: "%" },
  usage_spike: { before: "Calls in the last hour exceed the hourly mean by a factor of", unit: "×" },
  idle_agent: { before: "An agent has not called for", unit: "hours" },
  budget_warning: { before: "A budget without its own warning threshold has used", unit: "%" },
};

function ruleOf(preferences: Preferences, type: AlertType): Rule {
  const { enabled, channels } = preferences[type];
  return { enabled, channels, threshold: String(thresholdOf(preferences, type)) };
}

function thresholdOf(preferences: Preferences, type: AlertType): number {
  switch (type) {
    case "usage_spike":
      return preferences.usage_spike.threshold_multiplier;
    case "idle_agent":
      return preferences.idle_agent.threshold_hours;
    case "cost_spike":
    case "error_rate":
    case "budget_warning":
      return preferences[type].threshold_pct;
    default:
      return type satisfies never;
  }
}

const thresholdNames = {
  cost_spike: "cost_spike_threshold_pct",
  error_rate: "error_rate_threshold_pct",
  usage_spike: "usage_spike_threshold_multiplier",
  idle_agent: "idle_agent_threshold_hours",
  budget_warning: "budget_warning_threshold_pct",
} as const;

/** The five kinds of alert: whether they are raised, from where on, and over which channels they are sent. */
export function AlertRules({ preferences }: { readonly preferences: Preferences }) {
  const { can } = useRole();
  const isEditable = can("alerts.preferences.update");
  const [edited, setEdited] = useState<Partial<Record<AlertType, Rule>>>({});
  const save = useFormChange("alerts.preferences.update", {
    refreshes: ["alerts.preferences.get", "budgets.list", "alerts.list"],
    done: "Rules saved",
    onDone: () => setEdited({}),
  });
  const changed = alertTypes.filter(type => edited[type] !== undefined);
  const isValid = changed.every(type => {
    const value = Number(edited[type]?.threshold);
    return edited[type]?.threshold.trim() !== "" && Number.isFinite(value) && value >= 0;
  });
  const submit = () => {
    const fields = changed.flatMap(type => {
      const rule = edited[type];
      return rule === undefined
        ? []
        : [
            [`${type}_enabled`, rule.enabled],
            [`${type}_channels`, rule.channels],
            [thresholdNames[type], Number(rule.threshold)],
          ];
    });
    save.mutate(Object.fromEntries(fields) as Input<"alerts.preferences.update">);
  };
  return (
    <Card title="Rules" note="When an alert is raised automatically, and where it is sent">
      <Form
        changes={[save]}
        onSubmit={() => {
          if (isValid) submit();
        }}
      >
        <ul className="alert-rules">
          {alertTypes.map(type => {
            const rule = edited[type] ?? ruleOf(preferences, type);
            const change = (part: Partial<Rule>) =>
              setEdited(before => ({ ...before, [type]: { ...rule, ...part } }));
            return (
              <li key={type} data-rule={type}>
                <label className="alert-rule-name">
                  <input
                    type="checkbox"
                    disabled={!isEditable}
                    checked={rule.enabled}
                    onChange={event => change({ enabled: event.target.checked })}
                  />
                  {typeTitles[type]}
                </label>
                <label className="alert-rule-line">
                  <span className="muted">{lines[type].before}</span>
                  <input
                    className="input"
                    inputMode="decimal"
                    readOnly={!isEditable}
                    value={rule.threshold}
                    onChange={event => change({ threshold: event.target.value })}
                  />
                  <span>{lines[type].unit}</span>
                </label>
                <fieldset className="alert-rule-channels">
                  <legend className="visually-hidden">{typeTitles[type]}: channels</legend>
                  {alertChannels.map(channel => (
                    <label key={channel}>
                      <input
                        type="checkbox"
                        disabled={!isEditable}
                        checked={rule.channels.includes(channel)}
                        onChange={event =>
                          change({
                            channels: alertChannels.filter(one =>
                              one === channel ? event.target.checked : rule.channels.includes(one),
                            ),
                          })
                        }
                      />
                      {channelTitles[channel]}
                    </label>
                  ))}
                </fieldset>
              </li>
            );
          })}
        </ul>
        {isEditable && (
          <Button
            kind="primary"
            type="submit"
            disabled={changed.length === 0 || !isValid}
            isBusy={save.isPending}
          >
            Save the rules
          </Button>
        )}
        {!isValid && <p className="field-problem">Enter a number for each rule.</p>}
      </Form>
    </Card>
  );
}
