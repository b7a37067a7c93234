import type { ControlSchema } from "@tollgate/storage/database/schema";
import type { Selectable } from "kysely";

/** The ways out. `alert_webhook` is the alerts' own address, `webhook` a registration's. */
export type DeliveryChannel = "webhook" | "email" | "slack" | "telegram" | "alert_webhook";

/** What became of one try. Sentences and answers are fit to be shown to the organization. */
export interface Attempt {
  readonly outcome:
    | "delivered"
    | "failed"
    /** The receiver wants no more of anything (410). */
    | "gone"
    /** It cannot succeed however often it is tried: there is no address, or the message itself was refused. */
    | "permanent_failure"
    /** Nothing was sent: the webhook is no more, or was disabled. It is not an attempt, and the rest waits in vain too. */
    | "withdrawn";
  readonly httpStatus: number | null;
  readonly error: string | null;
  readonly answer: string | null;
  readonly retryAfterMs: number | null;
}

/** How one channel sends. Rejects never (`createTransports` sees to it): what goes wrong is an attempt that failed. */
export type Transport = (
  message: Pick<
    Selectable<ControlSchema["deliveries"]>,
    "id" | "org_id" | "mode" | "receiver" | "kind" | "body"
  >,
) => Promise<Attempt>;

export type Transports = Readonly<Record<DeliveryChannel, Transport>>;
