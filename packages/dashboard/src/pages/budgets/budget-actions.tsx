import { useState } from "react";
import { useRole } from "../../data/session.tsx";
import { useChange } from "../../data/use-operation.ts";
import { Button } from "../../parts/button.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { CheckField } from "../../parts/field.tsx";
import { BudgetDialog } from "./budget-dialog.tsx";
import type { Budget } from "./budget-subject.tsx";
import { budgetReads } from "./use-budgets.ts";

interface BudgetActionsProps {
  readonly budget: Budget;
  readonly onDeleted: () => void;
}

/** Actions on a budget that the reader is allowed. */
export function BudgetActions({ budget, onDeleted }: BudgetActionsProps) {
  const { can } = useRole();
  const [open, setOpen] = useState<"edit" | "resume" | "delete" | null>(null);
  const [isReset, setIsReset] = useState(false);
  const close = () => setOpen(null);
  const pause = useChange("budgets.update", { refreshes: budgetReads, done: "Budget paused" });
  const resume = useChange("budgets.resume", {
    refreshes: budgetReads,
    done: "Budget resumed",
    onDone: close,
  });
  const remove = useChange("budgets.delete", {
    refreshes: budgetReads,
    done: "Budget deleted",
    onDone: onDeleted,
  });
  return (
    <div className="budget-actions">
      {can("budgets.update") && <Button onClick={() => setOpen("edit")}>Change</Button>}
      {budget.status === "active" && can("budgets.update") && (
        <Button
          icon="pause"
          isBusy={pause.isPending}
          onClick={() => pause.mutate({ id: budget.id, paused: true })}
        >
          Pause
        </Button>
      )}
      {budget.status === "paused" && can("budgets.resume") && (
        <Button icon="play" onClick={() => setOpen("resume")}>
          Resume
        </Button>
      )}
      {can("budgets.delete") && (
        <Button kind="danger" onClick={() => setOpen("delete")}>
          Delete
        </Button>
      )}
      {open === "edit" && <BudgetDialog budget={budget} onClose={close} />}
      {open === "resume" && (
        <ConfirmDialog
          title="Resume the budget?"
          action="Resume"
          isBusy={resume.isPending}
          onClose={close}
          onConfirm={() => resume.mutate({ id: budget.id, reset_spending: isReset })}
        >
          <p>It is enforced again within a second. Spend was still counted while it was paused.</p>
          <CheckField
            label="Reset spend to $0.00"
            help="Spend so far in this period no longer counts."
            isChecked={isReset}
            onChange={setIsReset}
          />
        </ConfirmDialog>
      )}
      {open === "delete" && (
        <ConfirmDialog
          title="Delete the budget?"
          action="Delete"
          isDanger
          isBusy={remove.isPending}
          onClose={close}
          onConfirm={() => remove.mutate({ id: budget.id })}
        >
          <p>It is no longer enforced or counted. Calls and their costs stay as they are.</p>
        </ConfirmDialog>
      )}
    </div>
  );
}
