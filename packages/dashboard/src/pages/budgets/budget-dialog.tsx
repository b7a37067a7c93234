import { enforcementModes } from "@tollgate/core/budgets/budget";
import { type BudgetPeriod, budgetPeriods } from "@tollgate/core/budgets/period";
import { exactDollars } from "@tollgate/core/money/exact-dollars";
import { useState } from "react";
import { useFormChange } from "../../data/use-operation.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog, DialogActions } from "../../parts/dialog.tsx";
import { CheckField, ChoiceField, DollarField, readDollarsAboveZero, TextField } from "../../parts/field.tsx";
import { Form } from "../../parts/form.tsx";
import { type Budget, type BudgetSubject, SubjectName, subjectFields, subjectOf } from "./budget-subject.tsx";
import { enforcementHelp, enforcementTitles, periodTitles } from "./budget-words.ts";
import { LimitCheck } from "./limit-check-note.tsx";
import { SubjectField } from "./subject-field.tsx";
import { budgetReads } from "./use-budgets.ts";

interface BudgetDialogProps {
  /** Absent: a new one. */
  readonly budget?: Budget;
  /** Initial subject of a new budget. */
  readonly subject?: BudgetSubject | undefined;
  readonly onClose: () => void;
  readonly onCreated?: (id: string) => void;
}

/** A new budget, or the settings of one. */
export function BudgetDialog({ budget, subject, onClose, onCreated }: BudgetDialogProps) {
  const [chosen, setChosen] = useState<BudgetSubject>(
    budget === undefined ? (subject ?? { kind: "organization" }) : subjectOf(budget),
  );
  const [period, setPeriod] = useState<BudgetPeriod>(budget?.period ?? "monthly");
  const [limit, setLimit] = useState(budget === undefined ? "" : plainDollars(budget.limit_microcents));
  const [warning, setWarning] = useState(budget === undefined ? "" : String(budget.warning_pct));
  const [mode, setMode] = useState(budget?.enforcement_mode ?? "alert_only");
  const [isStrict, setIsStrict] = useState(budget?.strict ?? false);
  const [allowsUnpriced, setAllowsUnpriced] = useState(budget?.allow_unpriced ?? false);
  const [isAsked, setIsAsked] = useState(false);

  const create = useFormChange("budgets.create", {
    refreshes: budgetReads,
    done: "Budget created; takes effect within a second",
    onDone({ id }) {
      onClose();
      onCreated?.(id);
    },
  });
  const update = useFormChange("budgets.update", {
    refreshes: budgetReads,
    done: "Budget changed",
    onDone: onClose,
  });

  const limitMicrocents = readDollarsAboveZero(limit);
  const warningPct = warning.trim() === "" ? null : Number(warning);
  const isWarningValid =
    warningPct === null
      ? budget === undefined
      : Number.isInteger(warningPct) && warningPct >= 0 && warningPct <= 100;
  const isSubjectValid = chosen.kind === "organization" || chosen.id.trim() !== "";

  const submit = () => {
    setIsAsked(true);
    if (limitMicrocents === null || !isWarningValid || !isSubjectValid) return;
    const settings = {
      limit_microcents: limitMicrocents,
      enforcement_mode: mode,
      strict: isStrict,
      allow_unpriced: allowsUnpriced,
    };
    if (budget !== undefined) {
      // A budget without a line of its own follows the preferences, until one is set.
      const line =
        warningPct === null || warningPct === budget.warning_pct ? {} : { warning_pct: warningPct };
      update.mutate({ id: budget.id, ...settings, ...line });
      return;
    }
    create.mutate({
      ...settings,
      period,
      ...(warningPct === null ? {} : { warning_pct: warningPct }),
      ...subjectFields(chosen),
    });
  };

  return (
    <Dialog title={budget === undefined ? "New budget" : "Change the budget"} isOpen onClose={onClose}>
      <Form changes={[create, update]} onSubmit={submit}>
        {budget === undefined ? (
          <>
            <SubjectField
              value={chosen}
              problem={isAsked && !isSubjectValid ? "Whose calls does it count?" : undefined}
              onChange={setChosen}
            />
            <ChoiceField
              label="Period"
              help="UTC days or months. Spend before the budget was created does not count."
              value={period}
              options={budgetPeriods.map(value => ({ value, label: periodTitles[value] }))}
              onChange={setPeriod}
            />
          </>
        ) : (
          <p className="budget-dialog-subject">
            {periodTitles[budget.period]} budget: <SubjectName subject={chosen} />
          </p>
        )}
        <DollarField
          label="Limit"
          value={limit}
          onChange={setLimit}
          problem={isAsked && limitMicrocents === null ? "Enter an amount above 0, such as 25.00" : null}
        />
        {limitMicrocents !== null && isSubjectValid && (
          <LimitCheck subject={chosen} period={period} limitMicrocents={limitMicrocents} />
        )}
        <ChoiceField
          label="When the limit is reached"
          help={enforcementHelp[mode]}
          value={mode}
          options={enforcementModes.map(value => ({ value, label: enforcementTitles[value] }))}
          onChange={setMode}
        />
        <TextField
          label="Warn at (% of the limit)"
          inputMode="numeric"
          autoComplete="off"
          placeholder="80"
          help={budget === undefined ? "Empty: the percentage of the alert rules." : undefined}
          value={warning}
          onChange={setWarning}
          problem={isAsked && !isWarningValid ? "Enter a whole number from 0 to 100" : null}
        />
        <CheckField
          label="Strict"
          help="Reserve the worst case of each call, so that the limit is never exceeded."
          isChecked={isStrict}
          onChange={setIsStrict}
        />
        {mode === "hard_block" && (
          <CheckField
            label="Allow calls of unknown price"
            help="The budget cannot count them. A strict budget refuses them anyway."
            isChecked={allowsUnpriced}
            onChange={setAllowsUnpriced}
          />
        )}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={create.isPending || update.isPending}>
            {budget === undefined ? "Create the budget" : "Save"}
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  );
}

const plainDollars = (microcents: number) => exactDollars(microcents).replace("$", "");
