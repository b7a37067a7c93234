import {
  DURATION_DAYS,
  type PrimaryMetric,
  primaryMetrics,
  TRAFFIC_PCT,
} from "@tollgate/core/experiments/experiment";
import { useId, useState } from "react";
import { useFormChange, useOperation } from "../../data/use-operation.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog, DialogActions } from "../../parts/dialog.tsx";
import { ChoiceField, TextField } from "../../parts/field.tsx";
import { Form } from "../../parts/form.tsx";

interface ExperimentFormProps {
  readonly agentId: string;
  readonly treatmentModel?: string;
  readonly onClose: () => void;
}

export const metricTitles: Readonly<Record<PrimaryMetric, string>> = {
  cost_per_call: "Cost per call",
  latency_p50: "Median duration",
  latency_p95: "95th percentile of the duration",
  error_rate: "Share of failed calls",
  quality_score: "Share of successful outcomes",
};

/** Sends a share of the agent's calls to another model, and compares. */
export function ExperimentForm({ agentId, treatmentModel = "", onClose }: ExperimentFormProps) {
  const [model, setModel] = useState(treatmentModel);
  const [name, setName] = useState("");
  const [trafficPct, setTrafficPct] = useState(String(TRAFFIC_PCT.default));
  const [days, setDays] = useState(String(DURATION_DAYS.default));
  const [metric, setMetric] = useState<PrimaryMetric>("cost_per_call");
  const [promotes, setPromotes] = useState<"no" | "yes">("no");
  const models = useOperation("models.compare", {}, { isLive: false });
  const listId = useId();
  const create = useFormChange("experiments.create", {
    refreshes: ["experiments.list"],
    done: "Experiment started",
    onDone: onClose,
  });
  const submit = () => {
    create.mutate({
      agent_id: agentId,
      name: name.trim() || `Try ${model.trim()}`.slice(0, 100),
      treatment_model: model.trim(),
      traffic_pct: Number(trafficPct),
      primary_metric: metric,
      max_duration_days: Number(days),
      auto_promote: promotes === "yes",
    });
  };
  return (
    <Dialog title="Start an experiment" isOpen onClose={onClose}>
      <Form changes={[create]} onSubmit={submit}>
        <TextField
          label="Model to try"
          help="Sessions stay with one model. The agent’s own model is the control."
          value={model}
          list={listId}
          required
          maxLength={256}
          onChange={setModel}
        />
        <datalist id={listId}>
          {models.data?.models.map(one => (
            <option key={`${one.provider} ${one.model}`} value={one.model} />
          ))}
        </datalist>
        <TextField
          label="Name"
          value={name}
          maxLength={100}
          placeholder={model === "" ? "" : `Try ${model}`}
          onChange={setName}
        />
        <div className="field-pair">
          <TextField
            label="Share of calls (%)"
            type="number"
            min={TRAFFIC_PCT.min}
            max={TRAFFIC_PCT.max}
            required
            value={trafficPct}
            onChange={setTrafficPct}
          />
          <TextField
            label="Ends after (days)"
            type="number"
            min={DURATION_DAYS.min}
            max={DURATION_DAYS.max}
            required
            value={days}
            onChange={setDays}
          />
        </div>
        <ChoiceField
          label="Decided by"
          value={metric}
          options={primaryMetrics.map(value => ({ value, label: metricTitles[value] }))}
          onChange={setMetric}
        />
        <ChoiceField
          label="If the new model wins"
          value={promotes}
          options={[
            { value: "no", label: "Leave the decision to people" },
            { value: "yes", label: "Make it the agent’s model" },
          ]}
          onChange={setPromotes}
        />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={create.isPending}>
            Start
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  );
}
