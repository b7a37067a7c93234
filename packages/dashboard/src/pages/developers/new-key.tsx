import type { Mode } from "@tollgate/core/event";
import { useState } from "react";
import { useScope } from "../../data/scope.tsx";
import { useFormChange } from "../../data/use-operation.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog, DialogActions } from "../../parts/dialog.tsx";
import { ChoiceField, TextField } from "../../parts/field.tsx";
import { Form } from "../../parts/form.tsx";
import { SecretOnce } from "./secret-once.tsx";

const modes = [
  { value: "live", label: "Live: calls go to the provider" },
  { value: "test", label: "Test: the simulator answers" },
] as const;

const scopes = [
  { value: "write", label: "Full: make calls, read and change" },
  { value: "read", label: "Read only: for dashboards and tools" },
] as const;

/** Creates a key, and shows it this one time. */
export function NewKey({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState("");
  const [mode, setMode] = useState<Mode>(useScope().mode);
  const [scope, setScope] = useState<"read" | "write">("write");
  const create = useFormChange("keys.create", { refreshes: ["keys.list"] });
  if (create.data !== undefined) {
    return (
      <Dialog title="Your new key" isOpen onClose={onClose}>
        <SecretOnce name="key" secret={create.data.key} onClose={onClose} />
      </Dialog>
    );
  }
  return (
    <Dialog title="Create a key" isOpen onClose={onClose}>
      <Form
        changes={[create]}
        onSubmit={() => {
          create.mutate({ mode, scope, ...(name.trim() === "" ? {} : { name }) });
        }}
      >
        <TextField
          label="Name"
          value={name}
          onChange={setName}
          maxLength={200}
          help="What will use it: an application, a machine, a colleague."
        />
        <ChoiceField label="Traffic" value={mode} options={modes} onChange={setMode} />
        <ChoiceField label="Access" value={scope} options={scopes} onChange={setScope} />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={create.isPending}>
            Create
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  );
}
