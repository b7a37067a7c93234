import { useState } from "react";
import { useSession } from "../../data/session.tsx";
import { useFormChange } from "../../data/use-operation.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog, DialogActions } from "../../parts/dialog.tsx";
import { TextField } from "../../parts/field.tsx";
import { Form } from "../../parts/form.tsx";
import { SecretOnce } from "./secret-once.tsx";
import { EventChoice, type Webhook, type WebhookEvent } from "./webhook-events.tsx";

interface FieldsProps {
  readonly title: string;
  readonly action: string;
  readonly change: { readonly error: Error | null; readonly isPending: boolean };
  readonly initial: { readonly url: string; readonly events: readonly WebhookEvent[] };
  readonly onSave: (fields: { readonly url: string; readonly events: WebhookEvent[] }) => void;
  readonly onClose: () => void;
}

function WebhookFields({ title, action, change, initial, onSave, onClose }: FieldsProps) {
  const [url, setUrl] = useState(initial.url);
  const [events, setEvents] = useState(initial.events);
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      <Form
        changes={[change]}
        onSubmit={() => {
          onSave({ url: url.trim(), events: [...events] });
        }}
      >
        <TextField
          label="Address"
          type="url"
          value={url}
          onChange={setUrl}
          placeholder="https://example.org/tollgate"
          help="Receives signed POST requests; failures are retried for three days."
          required
        />
        <EventChoice chosen={events} onChange={setEvents} />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={change.isPending} disabled={events.length === 0}>
            {action}
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  );
}

/** Registers a webhook, and shows its secret this one time. */
export function NewWebhook({ onClose }: { readonly onClose: () => void }) {
  const { organization } = useSession();
  const create = useFormChange("webhooks.register", { refreshes: ["webhooks.list"] });
  if (create.data !== undefined) {
    return (
      <Dialog title="Signing secret" isOpen onClose={onClose}>
        <SecretOnce name="secret" secret={create.data.secret} onClose={onClose} />
      </Dialog>
    );
  }
  return (
    <WebhookFields
      title="Add a webhook"
      action="Add"
      change={create}
      initial={{ url: "", events: ["alert.triggered", "budget.exceeded"] }}
      onSave={fields => create.mutate({ ...fields, orgId: organization.id, secret: newSecret() })}
      onClose={onClose}
    />
  );
}

export function EditWebhook({
  webhook,
  onClose,
}: {
  readonly webhook: Webhook;
  readonly onClose: () => void;
}) {
  const update = useFormChange("webhooks.update", {
    refreshes: ["webhooks.list", "webhooks.get"],
    done: "Saved",
    onDone: onClose,
  });
  return (
    <WebhookFields
      title="Change the webhook"
      action="Save"
      change={update}
      initial={webhook}
      onSave={fields => update.mutate({ ...fields, id: webhook.id })}
      onClose={onClose}
    />
  );
}

const SECRET_BYTES = 24;

/** In the form of Standard Webhooks, which receivers' libraries take as it is. */
function newSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(SECRET_BYTES));
  return `whsec_${btoa(String.fromCharCode(...bytes))}`;
}
