import { type FormEvent, useState } from "react";
import { type Output, useChange } from "../../data/use-operation.ts";
import { fullDollars } from "../../format/money.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog, DialogActions } from "../../parts/dialog.tsx";
import { ChoiceField, DollarField, readDollars } from "../../parts/field.tsx";

type Budget = Output<"budgets.list">["budgets"][number];

interface BudgetFormProps {
  readonly agentId: string;
  /** The agent's own. */
  readonly budgets: readonly Budget[];
  readonly onClose: () => void;
}

/** Creates the agent's budget for a period, or changes the one that it has. */
export function BudgetForm({ agentId, budgets, onClose }: BudgetFormProps) {
  const [period, setPeriod] = useState<Budget["period"]>("daily");
  const known = budgets.find(one => one.period === period);
  const [limit, setLimit] = useState("");
  const [enforcement, setEnforcement] = useState<Budget["enforcement_mode"]>(
    known?.enforcement_mode ?? "hard_block",
  );
  const [isTried, setIsTried] = useState(false);
  const set = useChange("budgets.set", {
    refreshes: ["budgets.list", "budgets.status"],
    done: ({ created }) => (created ? "The budget is in force." : "The budget is changed."),
    onDone: onClose,
  });
  const amount = readDollars(limit);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setIsTried(true);
    if (amount === null) return;
    set.mutate({ agent_id: agentId, period, limit_microcents: amount, enforcement_mode: enforcement });
  };
  return (
    <Dialog title="Set a budget" isOpen onClose={onClose}>
      <form onSubmit={submit}>
        <ChoiceField
          label="Period"
          help="UTC"
          value={period}
          options={[
            { value: "daily", label: "Day" },
            { value: "monthly", label: "Month" },
          ]}
          onChange={setPeriod}
        />
        <DollarField
          label="Limit"
          help={known === undefined ? undefined : `Now ${fullDollars(known.limit_microcents)}`}
          problem={isTried && amount === null ? "An amount above 0, such as 12.50" : null}
          value={limit}
          onChange={setLimit}
        />
        <ChoiceField
          label="When it is reached"
          value={enforcement}
          options={[
            { value: "hard_block", label: "Refuse calls (hard block)" },
            { value: "soft_block", label: "Admit calls and mark them (soft block)" },
            { value: "alert_only", label: "Only alert" },
          ]}
          onChange={setEnforcement}
        />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={set.isPending}>
            Set budget
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
