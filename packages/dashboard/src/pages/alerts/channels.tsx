import { useState } from "react";
import { useRole } from "../../data/session.tsx";
import { type Input, type Output, useChange, useFormChange, useOperation } from "../../data/use-operation.ts";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { TextField } from "../../parts/field.tsx";
import { Form } from "../../parts/form.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Loaded } from "../../parts/states.tsx";
import { Tag } from "../../parts/tag.tsx";
import { channelTitles } from "./alert-words.ts";

export type Preferences = Output<"alerts.preferences.get">;

const addresses = [
  {
    name: "email",
    label: "E-mail",
    placeholder: "ops@example.com",
    help: "Up to ten, separated by commas.",
  },
  {
    name: "slack_webhook",
    label: "Slack",
    placeholder: "https://hooks.slack.com/services/…",
    help: "An incoming webhook.",
  },
  {
    name: "telegram_chat_id",
    label: "Telegram",
    placeholder: "-1001234567890",
    help: "A chat’s id or @name.",
  },
  {
    name: "webhook_url",
    label: "Webhook",
    placeholder: "https://example.com/alerts",
    help: "Signed; the secret appears once it is saved.",
  },
] as const;

type Addresses = Pick<Preferences, (typeof addresses)[number]["name"]>;

/** Channels that alerts are sent to. */
export function Channels({ preferences }: { readonly preferences: Preferences }) {
  const { can } = useRole();
  const isEditable = can("alerts.preferences.update");
  const [edited, setEdited] = useState<Partial<Addresses>>({});
  const save = useFormChange("alerts.preferences.update", {
    refreshes: ["alerts.preferences.get"],
    done: "Channels saved",
    onDone: () => setEdited({}),
  });
  const isChanged = Object.keys(edited).length > 0;
  return (
    <Card
      title="Channels"
      note="Where alerts are sent. Without an address a channel is not used."
      actions={can("alerts.test") && <SendTest />}
    >
      <Form
        className="alerts-channels"
        changes={[save]}
        onSubmit={() => {
          save.mutate(edited as Input<"alerts.preferences.update">);
        }}
      >
        {addresses.map(({ name, label, placeholder, help }) => (
          <TextField
            key={name}
            label={label}
            help={help}
            placeholder={isEditable ? placeholder : "not set"}
            autoComplete="off"
            readOnly={!isEditable}
            value={(name in edited ? edited[name] : preferences[name]) ?? ""}
            onChange={value =>
              setEdited(before => ({ ...before, [name]: value.trim() === "" ? null : value.trim() }))
            }
          />
        ))}
        {isEditable && (
          <Button kind="primary" type="submit" disabled={!isChanged} isBusy={save.isPending}>
            Save the channels
          </Button>
        )}
      </Form>
      {can("alerts.webhook_secret.get") && preferences.webhook_url !== null && <WebhookSecret />}
    </Card>
  );
}

/** Sends a test to every channel with an address, and shows what each answered. */
function SendTest() {
  const test = useChange("alerts.test", { refreshes: [] });
  return (
    <div className="alerts-test">
      <Button isBusy={test.isPending} onClick={() => test.mutate({})}>
        Send a test
      </Button>
      {test.data !== undefined && (
        <div role="status">
          {test.data.channels.length === 0 && (
            <p className="muted">No channel has an address. Enter one and save it first.</p>
          )}
          <ul>
            {test.data.channels.map(({ channel, delivered, error, status, answer }) => (
              <li key={channel}>
                <Tag kind={delivered ? "good" : "bad"}>{delivered ? "delivered" : "failed"}</Tag>{" "}
                {channelTitles[channel]}
                {status !== null && <span className="muted"> answered {status}</span>}
                {error !== null && <p className="alert-error">{error}</p>}
                {answer !== null && answer !== "" && <p className="muted alert-answer">{answer}</p>}
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}

function WebhookSecret() {
  const [isShown, setIsShown] = useState(false);
  const [isAsked, setIsAsked] = useState(false);
  const secret = useOperation("alerts.webhook_secret.get", {}, { enabled: isShown });
  const rotate = useChange("alerts.webhook_secret.rotate", {
    refreshes: ["alerts.webhook_secret.get"],
    done: "Secret replaced; both sign for a day",
    onDone() {
      setIsAsked(false);
      setIsShown(true);
    },
  });
  return (
    <section className="panel-part" aria-labelledby="secret-title">
      <h3 id="secret-title">Signing secret of the webhook</h3>
      {isShown && (
        <Loaded query={secret}>
          {data => (
            <p className="alerts-secret">
              <code>{data.secret}</code> <CopyButton text={data.secret} label="Copy the secret" />
              {data.previous_secret_until !== null && (
                <span className="muted">
                  {" "}
                  The previous one also signs until <Moment at={data.previous_secret_until} />.
                </span>
              )}
            </p>
          )}
        </Loaded>
      )}
      <div className="card-actions">
        <Button onClick={() => setIsShown(!isShown)}>{isShown ? "Hide" : "Show the secret"}</Button>
        <Button onClick={() => setIsAsked(true)}>Replace it</Button>
      </div>
      {isAsked && (
        <ConfirmDialog
          title="Replace the signing secret?"
          action="Replace"
          isBusy={rotate.isPending}
          onClose={() => setIsAsked(false)}
          onConfirm={() => rotate.mutate({})}
        >
          <p>Receivers need the new one within a day; until then both sign.</p>
        </ConfirmDialog>
      )}
    </section>
  );
}
