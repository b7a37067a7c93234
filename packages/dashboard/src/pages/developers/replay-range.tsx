import { useState } from "react";
import { useChange } from "../../data/use-operation.ts";
import { plural } from "../../format/counts.ts";
import { localMinute, zoneName } from "../../format/time.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog, DialogActions } from "../../parts/dialog.tsx";
import { ChoiceField, TextField } from "../../parts/field.tsx";

type Status = "failed" | "cancelled" | "delivered" | "all";

const statuses: readonly { readonly value: Status; readonly label: string }[] = [
  { value: "failed", label: "those that failed" },
  { value: "cancelled", label: "those that were cancelled" },
  { value: "delivered", label: "those that arrived" },
  { value: "all", label: "all that have ended" },
];

const DAY_MS = 86_400_000;

/** Sends everything of a time range again. */
export function ReplayRange({
  webhookId,
  onClose,
}: {
  readonly webhookId: string;
  readonly onClose: () => void;
}) {
  const [from, setFrom] = useState(() => localMinute(Date.now() - DAY_MS));
  const [to, setTo] = useState(() => localMinute(Date.now() + 60_000));
  const [status, setStatus] = useState<Status>("failed");
  const replay = useChange("webhooks.replay", {
    refreshes: ["webhooks.deliveries.list", "webhooks.deliveries.get"],
    done: ({ replayed }) => `${plural(replayed, "delivery", "deliveries")} will be sent again.`,
    onDone: onClose,
  });
  const [fromMs, toMs] = [Date.parse(from), Date.parse(to)];
  const problem = fromMs < toMs ? null : "must be before the end";
  return (
    <Dialog title="Replay a time range" isOpen onClose={onClose}>
      <form
        onSubmit={event => {
          event.preventDefault();
          if (problem !== null) return;
          replay.mutate({
            id: webhookId,
            from: new Date(fromMs).toISOString(),
            to: new Date(toMs).toISOString(),
            ...(status === "all" ? {} : { status }),
          });
        }}
      >
        <ChoiceField
          label="Which deliveries"
          value={status}
          options={statuses}
          onChange={setStatus}
          help="With the same ids and bytes, so that a receiver can tell which it already has."
        />
        <TextField
          label="From"
          type="datetime-local"
          value={from}
          onChange={setFrom}
          problem={problem}
          required
        />
        <TextField
          label="To"
          type="datetime-local"
          value={to}
          onChange={setTo}
          help={`Times: ${zoneName()}`}
          required
        />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={replay.isPending} disabled={problem !== null}>
            Send again
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
