import type { Output } from "../../data/use-operation.ts";
import { CheckField } from "../../parts/field.tsx";

export type Webhook = Output<"webhooks.list">["webhooks"][number];
export type WebhookEvent = Webhook["events"][number];

/** Descriptions of the events. The list of names is the contract's. */
const eventTitles: Readonly<Record<WebhookEvent, string>> = {
  "event.created": "every call, once it has ended",
  "outcome.confirmed": "a reported outcome",
  "alert.triggered": "an alert",
  "budget.exceeded": "an exhausted budget",
};

const webhookEvents = Object.keys(eventTitles) as WebhookEvent[];

interface EventChoiceProps {
  readonly chosen: readonly WebhookEvent[];
  readonly onChange: (chosen: readonly WebhookEvent[]) => void;
}

export function EventChoice({ chosen, onChange }: EventChoiceProps) {
  return (
    <fieldset className="developers-events">
      <legend>Events</legend>
      {webhookEvents.map(event => (
        <CheckField
          key={event}
          label={event}
          help={eventTitles[event]}
          isChecked={chosen.includes(event)}
          onChange={isChecked =>
            onChange(isChecked ? [...chosen, event] : chosen.filter(other => other !== event))
          }
        />
      ))}
    </fieldset>
  );
}
