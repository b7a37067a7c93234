import { useState } from "react";
import { useRole } from "../../data/session.tsx";
import { type Output, useChange, useFormChange } from "../../data/use-operation.ts";
import { shortName } from "../../format/name.ts";
import { Button, IconButton } from "../../parts/button.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { Dialog, DialogActions } from "../../parts/dialog.tsx";
import { TextField } from "../../parts/field.tsx";
import { Form } from "../../parts/form.tsx";
import { Menu, MenuItem } from "../../parts/menu.tsx";

type Agent = Output<"agents.get">;

const refreshes = ["agents.get", "agents.list"] as const;

/** Pause, resume, rename, archive. */
export function AgentActions({ agent }: { readonly agent: Agent }) {
  const { can } = useRole();
  const [open, setOpen] = useState<"rename" | "pause" | "archive" | null>(null);
  const close = () => setOpen(null);
  const resume = useChange("agents.resume", { refreshes, done: "Agent resumed" });
  const pause = useChange("agents.pause", {
    refreshes,
    done: "Agent paused; the gateway refuses its calls",
    onDone: close,
  });
  const update = useChange("agents.update", { refreshes, done: "Saved", onDone: close });
  if (!can("agents.update")) return null;
  const isArchived = agent.status === "archived";
  return (
    <div className="card-actions">
      {agent.paused && can("agents.resume") && (
        <Button
          kind="primary"
          icon="play"
          isBusy={resume.isPending}
          onClick={() => resume.mutate({ id: agent.id })}
        >
          Resume
        </Button>
      )}
      {!agent.paused && can("agents.pause") && (
        <Button icon="pause" onClick={() => setOpen("pause")}>
          Pause
        </Button>
      )}
      <Button onClick={() => setOpen("rename")}>Rename</Button>
      <Menu align="end" trigger={<IconButton icon="more" label="More actions" />}>
        <MenuItem onSelect={() => update.mutate({ id: agent.id, breaker_enabled: !agent.breaker_enabled })}>
          {agent.breaker_enabled
            ? "Do not undo switches that make calls worse"
            : "Undo switches that make calls worse"}
        </MenuItem>
        {isArchived ? (
          <MenuItem onSelect={() => update.mutate({ id: agent.id, archived: false })}>
            Restore from the archive
          </MenuItem>
        ) : (
          <MenuItem isDanger onSelect={() => setOpen("archive")}>
            Archive
          </MenuItem>
        )}
      </Menu>
      {open === "rename" && <RenameDialog agent={agent} onClose={close} />}
      {open === "pause" && (
        <ConfirmDialog
          title={`Pause ${shortName(agent.name, 40)}?`}
          action="Pause"
          isDanger
          isBusy={pause.isPending}
          onConfirm={() => pause.mutate({ id: agent.id })}
          onClose={close}
        >
          <p>The gateway refuses its calls from now on, until somebody resumes it.</p>
        </ConfirmDialog>
      )}
      {open === "archive" && (
        <ConfirmDialog
          title={`Archive ${shortName(agent.name, 40)}?`}
          action="Archive"
          isDanger
          isBusy={update.isPending}
          onConfirm={() => update.mutate({ id: agent.id, archived: true })}
          onClose={close}
        >
          <p>
            It is no longer counted among the agents, and gets no score or suggestions. Its calls, cost and
            budgets stay. You can restore it.
          </p>
        </ConfirmDialog>
      )}
    </div>
  );
}

interface RenameDialogProps {
  readonly agent: Agent;
  readonly onClose: () => void;
}

function RenameDialog({ agent, onClose }: RenameDialogProps) {
  const [name, setName] = useState(agent.name);
  const update = useFormChange("agents.update", { refreshes, done: "Saved", onDone: onClose });
  const submit = () => {
    update.mutate({ id: agent.id, name: name.trim() });
  };
  return (
    <Dialog title="Rename the agent" isOpen onClose={onClose}>
      <Form changes={[update]} onSubmit={submit}>
        <TextField
          label="Name"
          help="Calls still use its key, which does not change."
          value={name}
          maxLength={256}
          required
          onChange={setName}
        />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={update.isPending} disabled={name.trim() === ""}>
            Rename
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  );
}
