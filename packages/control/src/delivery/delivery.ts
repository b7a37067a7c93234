import type { Mode } from "@tollgate/core/event";
import type { ControlSchema } from "@tollgate/storage/database/schema";
import type { Selectable } from "kysely";

/** The ways out. `alert_webhook` is the alerts' own address, `webhook` a registration's. */
export type DeliveryChannel = "webhook" | "email" | "slack" | "telegram" | "alert_webhook";

export interface NewDelivery {
  readonly orgId: string;
  readonly mode: Mode;
  readonly channel: DeliveryChannel;
  /** Whose queue it stands in: a webhook's id, or `receiverOf` an alert channel. */
  readonly receiver: string;
  readonly kind: string;
  readonly subjectId: string;
  /** `{event_type, timestamp, data}` as text: these bytes are what is sent and signed, at every try. */
  readonly body: string;
}

export type Delivery = Selectable<ControlSchema["deliveries"]>;

/** What became of one try. Sentences and answers are fit to be shown to the organization. */
export interface Attempt {
  readonly outcome:
    | "delivered"
    | "failed"
    /** The receiver wants no more of anything (410). */
    | "gone"
    /** It cannot succeed however often it is tried: there is no address, or the message itself was refused. */
    | "hopeless"
    /** Nothing was sent: the webhook is no more, or was disabled. It is not an attempt, and the rest waits in vain too. */
    | "withdrawn";
  readonly httpStatus: number | null;
  readonly error: string | null;
  readonly answer: string | null;
  readonly retryAfterMs: number | null;
}

/** How one channel sends. Rejects never (`createTransports` sees to it): what goes wrong is an attempt that failed. */
export type Transport = (
  delivery: Pick<Delivery, "id" | "org_id" | "mode" | "receiver" | "kind" | "body">,
) => Promise<Attempt>;

export type Transports = Readonly<Record<DeliveryChannel, Transport>>;

/** All notifications of an organization over one channel wait in one queue. */
export function receiverOf(channel: Exclude<DeliveryChannel, "webhook">, orgId: string): string {
  return `${channel}:${orgId}`;
}

/** What every receiver reads. */
export function bodyOf(kind: string, at: number, data: unknown): string {
  return JSON.stringify({ event_type: kind, timestamp: new Date(at).toISOString(), data });
}
