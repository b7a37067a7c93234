import type { Role } from "@tollgate/core/contract/operation";
import { useState } from "react";
import { useFormChange } from "../../data/use-operation.ts";
import { plainName } from "../../format/name.ts";
import { Button } from "../../parts/button.tsx";
import { CodeBlock } from "../../parts/code-block.tsx";
import { Dialog, DialogActions } from "../../parts/dialog.tsx";
import { ChoiceField, TextField } from "../../parts/field.tsx";
import { Form } from "../../parts/form.tsx";
import { roleChoices } from "./role-choices.ts";

/** Makes an invitation. Nothing is sent: its link is shown this one time, to be given to the person. */
export function InviteMember({ onClose }: { readonly onClose: () => void }) {
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<Role>("viewer");
  const invite = useFormChange("members.invite", { refreshes: ["members.list"] });
  if (invite.data !== undefined) {
    return (
      <Dialog title={`Invitation for ${plainName(invite.data.email)}`} isOpen onClose={onClose}>
        <p className="settings-note">
          Give this link to the person. It is shown only once, and valid for 7 days. No e-mail is sent.
        </p>
        <CodeBlock title="the link" text={invite.data.accept_url} />
        <DialogActions>
          <Button kind="primary" onClick={onClose}>
            Done
          </Button>
        </DialogActions>
      </Dialog>
    );
  }
  return (
    <Dialog title="Invite someone" isOpen onClose={onClose}>
      <Form
        changes={[invite]}
        onSubmit={() => {
          invite.mutate({ email, role });
        }}
      >
        <TextField label="E-mail address" type="email" value={email} onChange={setEmail} required />
        <ChoiceField label="Role" value={role} options={roleChoices} onChange={setRole} />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={invite.isPending}>
            Create the invitation
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  );
}
