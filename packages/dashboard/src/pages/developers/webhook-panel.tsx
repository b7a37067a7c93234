import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useRole } from "../../data/session.tsx";
import { type Output, useChange, useOperation } from "../../data/use-operation.ts";
import { duration } from "../../format/time.ts";
import { Button } from "../../parts/button.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Detail, Details } from "../../parts/details.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Name } from "../../parts/name.tsx";
import { SidePanel } from "../../parts/side-panel.tsx";
import { Loaded } from "../../parts/states.tsx";
import { Tag } from "../../parts/tag.tsx";
import { Deliveries } from "./deliveries.tsx";
import { SecretOnce } from "./secret-once.tsx";
import type { Webhook } from "./webhook-events.tsx";
import { EditWebhook } from "./webhook-form.tsx";
import { WebhookState } from "./webhooks.tsx";

export function WebhookPanel() {
  const id = useParams({ from: "/developers/webhooks/$webhookId", select: ({ webhookId }) => webhookId });
  const navigate = useNavigate();
  const webhook = useOperation("webhooks.get", { id });
  const close = () => void navigate({ to: "/developers/webhooks" });
  return (
    <SidePanel title="Webhook" actions={<CopyButton text={id} label="Copy the id" />} onClose={close}>
      <Loaded query={webhook}>
        {shown => (
          <>
            <Facts webhook={shown} />
            <Actions webhook={shown} onDeleted={close} />
            <Deliveries webhookId={id} />
          </>
        )}
      </Loaded>
    </SidePanel>
  );
}

function Facts({ webhook }: { readonly webhook: Webhook }) {
  return (
    <Details>
      <Detail title="Address">
        <Name name={webhook.url} maxLength={300} />
      </Detail>
      <Detail title="State">
        <WebhookState webhook={webhook} />{" "}
        {webhook.disabled_reason !== null && <Name name={webhook.disabled_reason} maxLength={200} />}
        {webhook.enabled && webhook.failing_since !== null && (
          <>
            since <Moment at={webhook.failing_since} />
          </>
        )}
      </Detail>
      <Detail title="Events">{webhook.events.join(", ")}</Detail>
      {webhook.previous_secret_valid_until !== null && (
        <Detail title="Old secret">
          also signs until <Moment at={webhook.previous_secret_valid_until} />
        </Detail>
      )}
    </Details>
  );
}

function Actions({ webhook, onDeleted }: { readonly webhook: Webhook; readonly onDeleted: () => void }) {
  const { can } = useRole();
  const [open, setOpen] = useState<"edit" | "rotate" | "delete" | null>(null);
  const close = () => setOpen(null);
  const test = useChange("webhooks.test", { refreshes: ["webhooks.get", "webhooks.deliveries.list"] });
  const update = useChange("webhooks.update", {
    refreshes: ["webhooks.list", "webhooks.get", "webhooks.deliveries.list"],
    done: ({ enabled }) => (enabled ? "Webhook enabled" : "Webhook disabled"),
  });
  const remove = useChange("webhooks.delete", {
    refreshes: ["webhooks.list"],
    done: "Webhook deleted",
    onDone: onDeleted,
  });
  return (
    <>
      <div className="developers-actions">
        {can("webhooks.test") && webhook.enabled && (
          <Button kind="primary" isBusy={test.isPending} onClick={() => test.mutate({ id: webhook.id })}>
            Send a test
          </Button>
        )}
        {can("webhooks.update") && <Button onClick={() => setOpen("edit")}>Change</Button>}
        {can("webhooks.rotate_secret") && (
          <Button onClick={() => setOpen("rotate")}>Rotate the secret</Button>
        )}
        {can("webhooks.update") && (
          <Button
            isBusy={update.isPending}
            onClick={() => update.mutate({ id: webhook.id, enabled: !webhook.enabled })}
          >
            {webhook.enabled ? "Disable" : "Enable"}
          </Button>
        )}
        {can("webhooks.delete") && (
          <Button kind="danger" onClick={() => setOpen("delete")}>
            Delete
          </Button>
        )}
      </div>
      {test.data && <TestAnswer answer={test.data} />}
      {open === "edit" && <EditWebhook webhook={webhook} onClose={close} />}
      {open === "rotate" && <RotateSecret id={webhook.id} onClose={close} />}
      {open === "delete" && (
        <ConfirmDialog
          title="Delete the webhook?"
          action="Delete"
          isDanger
          isBusy={remove.isPending}
          onConfirm={() => remove.mutate({ id: webhook.id })}
          onClose={close}
        >
          <p>Nothing more is sent to it, and its deliveries can no longer be viewed or replayed.</p>
        </ConfirmDialog>
      )}
    </>
  );
}

function TestAnswer({ answer }: { readonly answer: Output<"webhooks.test"> }) {
  return (
    <p role="status" data-test-answer className="developers-note">
      <Tag kind={answer.delivered ? "good" : "bad"}>{answer.delivered ? "delivered" : "not delivered"}</Tag>{" "}
      {answer.http_status === null ? "no answer" : `HTTP ${answer.http_status}`} after{" "}
      {duration(answer.duration_ms)}
      {answer.error !== null && (
        <>
          : <Name name={answer.error} maxLength={200} />
        </>
      )}
    </p>
  );
}

function RotateSecret({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const rotate = useChange("webhooks.rotate_secret", { refreshes: ["webhooks.get", "webhooks.list"] });
  if (rotate.data !== undefined) {
    return (
      <Dialog title="New secret" isOpen onClose={onClose}>
        <SecretOnce name="secret" secret={rotate.data.secret} onClose={onClose} />
      </Dialog>
    );
  }
  return (
    <ConfirmDialog
      title="Rotate the signing secret?"
      action="Rotate"
      isBusy={rotate.isPending}
      onConfirm={() => rotate.mutate({ id })}
      onClose={onClose}
    >
      <p>
        A new secret is created. For a day, both secrets sign every delivery, so your receiver can switch
        without refusing any.
      </p>
    </ConfirmDialog>
  );
}
