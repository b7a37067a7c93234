import type { EnumValue, StoredRow } from "@tollgate/storage/database/schema";

/** `alert_webhook` is the address in the alert preferences, `webhook` a registered webhook. */
export type DeliveryChannel = EnumValue<"deliveries", "channel">;

/** The result of one attempt. Errors and answers are safe to show to the organization. */
export interface Attempt {
  readonly outcome:
    | "delivered"
    | "failed"
    /** The receiver unsubscribed (410). */
    | "gone"
    /** Retrying cannot help: there is no address, or the message itself was refused. */
    | "permanent_failure"
    /** Skipped: the webhook was deleted or disabled; its other pending deliveries are cancelled. */
    | "withdrawn";
  readonly httpStatus: number | null;
  readonly error: string | null;
  readonly answer: string | null;
  readonly retryAfterMs: number | null;
}

/** Sends over one channel. Never rejects (`createTransports` ensures it): a fault is a failed attempt. */
export type Transport = (
  message: Pick<StoredRow<"deliveries">, "id" | "org_id" | "mode" | "receiver" | "kind" | "body">,
) => Promise<Attempt>;

export type Transports = Readonly<Record<DeliveryChannel, Transport>>;
