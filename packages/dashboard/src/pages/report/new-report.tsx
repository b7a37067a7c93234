import { useState } from "react";
import { type Input, useFormChange } from "../../data/use-operation.ts";
import { Button } from "../../parts/button.tsx";
import { CodeBlock } from "../../parts/code-block.tsx";
import { Dialog, DialogActions } from "../../parts/dialog.tsx";
import { ChoiceField, TextField } from "../../parts/field.tsx";
import { Form } from "../../parts/form.tsx";

type Days = NonNullable<Input<"reports.create">["days"]>;

const periods: readonly { readonly value: `${Days}`; readonly label: string; readonly days: Days }[] = [
  { value: "7", label: "The last 7 days", days: 7 },
  { value: "30", label: "The last 30 days", days: 30 },
  { value: "90", label: "The last 90 days", days: 90 },
];

const MAX_EXPIRY_DAYS = 365;

/** Freezes a report, and shows its link this one time. */
export function NewReport({ onClose }: { readonly onClose: () => void }) {
  const [title, setTitle] = useState("");
  const [period, setPeriod] = useState<`${Days}`>("30");
  const [expiry, setExpiry] = useState("30");
  const create = useFormChange("reports.create", { refreshes: ["reports.list"] });
  const expiresInDays = Number(expiry);
  const isValid = Number.isInteger(expiresInDays) && expiresInDays >= 1 && expiresInDays <= MAX_EXPIRY_DAYS;
  if (create.data !== undefined) {
    const { url } = create.data;
    return (
      <Dialog title="Report created" isOpen onClose={onClose}>
        <p className="report-note">
          Anyone with this link can read the report without signing in. The link is shown only once.
        </p>
        <CodeBlock title="the link" text={url} />
        <DialogActions>
          <Button onClick={onClose}>Done</Button>
          <a className="button" data-kind="primary" href={url} target="_blank" rel="noreferrer">
            Open and print
          </a>
        </DialogActions>
      </Dialog>
    );
  }
  return (
    <Dialog title="Create a report" isOpen onClose={onClose}>
      <Form
        changes={[create]}
        onSubmit={() => {
          const days = periods.find(({ value }) => value === period)?.days;
          if (!isValid || days === undefined) return;
          create.mutate({
            days,
            expires_in_days: expiresInDays,
            ...(title.trim() === "" ? {} : { title: title.trim() }),
          });
        }}
      >
        <TextField
          label="Title"
          value={title}
          onChange={setTitle}
          maxLength={200}
          placeholder="Default: organization and period"
        />
        <ChoiceField label="Period" value={period} options={periods} onChange={setPeriod} />
        <TextField
          label="Shared for (days)"
          inputMode="numeric"
          value={expiry}
          onChange={setExpiry}
          problem={isValid ? null : `a whole number from 1 to ${MAX_EXPIRY_DAYS}`}
          help="You can revoke it at any time."
          required
        />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={create.isPending} disabled={!isValid}>
            Create the report
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  );
}
