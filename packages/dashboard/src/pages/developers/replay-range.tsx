import { DAY_MS } from "@tollgate/core/time/durations";
import { useState } from "react";
import { useFormChange } from "../../data/use-operation.ts";
import { plural } from "../../format/counts.ts";
import { localMinute } from "../../format/time.ts";
import { Button } from "../../parts/button.tsx";
import { DateRangeFields, parseRange } from "../../parts/date-range-fields.tsx";
import { Dialog, DialogActions } from "../../parts/dialog.tsx";
import { ChoiceField } from "../../parts/field.tsx";
import { Form } from "../../parts/form.tsx";

type Status = "failed" | "cancelled" | "delivered" | "all";

const statuses: readonly { readonly value: Status; readonly label: string }[] = [
  { value: "failed", label: "those that failed" },
  { value: "cancelled", label: "those that were cancelled" },
  { value: "delivered", label: "those that arrived" },
  { value: "all", label: "all that have ended" },
];

/** Sends everything of a time range again. */
export function ReplayRange({
  webhookId,
  onClose,
}: {
  readonly webhookId: string;
  readonly onClose: () => void;
}) {
  const [typed, setTyped] = useState(() => ({
    from: localMinute(Date.now() - DAY_MS),
    to: localMinute(Date.now() + 60_000),
  }));
  const [status, setStatus] = useState<Status>("failed");
  const replay = useFormChange("webhooks.replay", {
    refreshes: ["webhooks.deliveries.list", "webhooks.deliveries.get"],
    done: ({ replayed }) => `${plural(replayed, "delivery", "deliveries")} queued again`,
    onDone: onClose,
  });
  const parsed = parseRange(typed);
  return (
    <Dialog title="Replay a time range" isOpen onClose={onClose}>
      <Form
        changes={[replay]}
        onSubmit={() => {
          if (parsed === null) return;
          replay.mutate({ id: webhookId, ...parsed, ...(status === "all" ? {} : { status }) });
        }}
      >
        <ChoiceField
          label="Which deliveries"
          value={status}
          options={statuses}
          onChange={setStatus}
          help="With the same ids and bytes, so that a receiver can tell which it already has."
        />
        <DateRangeFields range={typed} onChange={setTyped} />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={replay.isPending} disabled={parsed === null}>
            Send again
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  );
}
