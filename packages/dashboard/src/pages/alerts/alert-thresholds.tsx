import {
  type ThresholdAction,
  type ThresholdMetric,
  thresholdActions,
  thresholdMetrics,
} from "@tollgate/core/alerts/threshold";
import { MICROCENTS_PER_CENT } from "@tollgate/core/money/money";
import { useState } from "react";
import { useRole } from "../../data/session.tsx";
import { useAgentName } from "../../data/use-agent-name.ts";
import { type Output, useChange, useFormChange, useOperation } from "../../data/use-operation.ts";
import { percent } from "../../format/counts.ts";
import { duration } from "../../format/time.ts";
import { AgentField } from "../../parts/agent-field.tsx";
import { Button, IconButton } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { Dialog, DialogActions } from "../../parts/dialog.tsx";
import { ChoiceField, readDollarsAboveZero, TextField } from "../../parts/field.tsx";
import { Form } from "../../parts/form.tsx";
import { Money } from "../../parts/money.tsx";
import { Name } from "../../parts/name.tsx";
import { Empty } from "../../parts/states.tsx";
import { Tag } from "../../parts/tag.tsx";
import { actionTitles, metricTitles } from "./alert-words.ts";

type Threshold = Output<"alerts.thresholds.list">["thresholds"][number];

/** Rules of the organization's own: something happens when a value is reached. */
export function AlertThresholds() {
  const { can } = useRole();
  const [isAdding, setIsAdding] = useState(false);
  const query = useOperation("alerts.thresholds.list", {});
  const columns: readonly Column<Threshold>[] = [
    {
      id: "metric",
      title: "When",
      width: "minmax(200px, 2fr)",
      onPhone: "title",
      value: ({ metric }) => metricTitles[metric],
      cell: ({ metric }) => metricTitles[metric],
    },
    {
      id: "value",
      title: "Reaches",
      isNumber: true,
      onPhone: "amount",
      value: ({ threshold_value }) => threshold_value,
      cell: threshold => <ThresholdValue threshold={threshold} />,
    },
    {
      id: "agent",
      title: "For",
      cell: ({ agent_id }) => <ThresholdSubject agentId={agent_id} />,
    },
    {
      id: "action",
      title: "Then",
      value: ({ action }) => actionTitles[action],
      cell: ({ action, has_address }) => (
        <>
          {actionTitles[action]}{" "}
          {!has_address && (
            <Tag kind="warning" title="The alert is raised, but sent nowhere">
              no address
            </Tag>
          )}
        </>
      ),
    },
    ...(can("alerts.thresholds.delete")
      ? [
          {
            id: "delete",
            title: "Actions",
            width: "64px",
            cell: (threshold: Threshold) => <DeleteButton threshold={threshold} />,
          },
        ]
      : []),
  ];
  return (
    <Card
      title="Thresholds"
      note="Your own rules; each raises at most one alert per period of its metric (hour, day or month)"
      actions={
        can("alerts.thresholds.set") && (
          <Button icon="plus" onClick={() => setIsAdding(true)}>
            Add a threshold
          </Button>
        )
      }
    >
      <DataTable
        label="Thresholds"
        columns={columns}
        rows={query.data?.thresholds}
        rowKey={({ id }) => id}
        empty={<Empty title="No thresholds" />}
      />
      {isAdding && <ThresholdDialog onClose={() => setIsAdding(false)} />}
    </Card>
  );
}

function ThresholdValue({ threshold: { metric, threshold_value } }: { readonly threshold: Threshold }) {
  switch (metric) {
    case "daily_cost":
    case "monthly_cost":
      return <Money microcents={Math.round(threshold_value * MICROCENTS_PER_CENT)} isFull />;
    case "error_rate":
      return <span className="figure">{percent(threshold_value)}</span>;
    case "latency_p99":
      return <span className="figure">{duration(threshold_value)}</span>;
    default:
      return metric satisfies never;
  }
}

function ThresholdSubject({ agentId }: { readonly agentId: string | null }) {
  const name = useAgentName(agentId);
  if (agentId === null) return <>Whole organization</>;
  return name === null ? <>An agent</> : <Name name={name} maxLength={40} />;
}

function DeleteButton({ threshold }: { readonly threshold: Threshold }) {
  const remove = useChange("alerts.thresholds.delete", {
    refreshes: ["alerts.thresholds.list", "alerts.list"],
    done: "Threshold deleted",
  });
  return (
    <IconButton
      icon="close"
      label={`Delete: ${metricTitles[threshold.metric]}`}
      disabled={remove.isPending}
      onClick={() => remove.mutate({ id: threshold.id })}
    />
  );
}

const units: Readonly<Record<ThresholdMetric, string>> = {
  daily_cost: "Dollars",
  monthly_cost: "Dollars",
  error_rate: "Percent",
  latency_p99: "Milliseconds",
};

/** In the API's unit; null: not a value that the metric can reach. */
function readThreshold(metric: ThresholdMetric, text: string): number | null {
  switch (metric) {
    case "daily_cost":
    case "monthly_cost": {
      const amount = readDollarsAboveZero(text);
      return amount === null ? null : amount / MICROCENTS_PER_CENT;
    }
    case "error_rate": {
      const value = Number(text.replace("%", ""));
      return text.trim() !== "" && value > 0 && value <= 100 ? value / 100 : null;
    }
    case "latency_p99": {
      const value = Number(text);
      return text.trim() !== "" && value > 0 && Number.isFinite(value) ? value : null;
    }
    default:
      return metric satisfies never;
  }
}

function ThresholdDialog({ onClose }: { readonly onClose: () => void }) {
  const [metric, setMetric] = useState<ThresholdMetric>("daily_cost");
  const [text, setText] = useState("");
  const [agentId, setAgentId] = useState("");
  const [action, setAction] = useState<ThresholdAction>("email");
  const [isAsked, setIsAsked] = useState(false);
  const set = useFormChange("alerts.thresholds.set", {
    refreshes: ["alerts.thresholds.list", "alerts.list"],
    done: "Threshold added",
    onDone: onClose,
  });
  const value = readThreshold(metric, text);
  return (
    <Dialog title="Add a threshold" isOpen onClose={onClose}>
      <Form
        changes={[set]}
        onSubmit={() => {
          setIsAsked(true);
          if (value === null) return;
          set.mutate({
            metric,
            threshold_value: value,
            action,
            ...(agentId === "" ? {} : { agent_id: agentId }),
          });
        }}
      >
        <ChoiceField
          label="When"
          value={metric}
          options={thresholdMetrics.map(one => ({ value: one, label: metricTitles[one] }))}
          onChange={setMetric}
        />
        <TextField
          label={`Reaches (${units[metric].toLowerCase()})`}
          inputMode="decimal"
          autoComplete="off"
          value={text}
          onChange={setText}
          problem={isAsked && value === null ? `Enter ${units[metric].toLowerCase()} above 0` : null}
        />
        <AgentField label="For" none="The whole organization" value={agentId} onChange={setAgentId} />
        <ChoiceField
          label="Then"
          help={
            action === "pause_agent"
              ? agentId === ""
                ? "Every agent that made calls in that time is paused until somebody resumes it."
                : "Its calls are refused until somebody resumes it."
              : "To the address set under Channels."
          }
          value={action}
          options={thresholdActions.map(one => ({ value: one, label: actionTitles[one] }))}
          onChange={setAction}
        />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={set.isPending}>
            Add the threshold
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  );
}
