import type { Mode } from "@tollgate/core/event";
import type { StoredRow } from "@tollgate/storage/database/schema";
import type { DeliveryChannel } from "../../kernel/transport.ts";

export interface NewDelivery {
  readonly orgId: string;
  readonly mode: Mode;
  readonly channel: DeliveryChannel;
  /** Selects the queue: a webhook's id, or `receiverOf` an alert channel. */
  readonly receiver: string;
  readonly kind: string;
  readonly subjectId: string;
  /** `{event_type, timestamp, data}` as text: every attempt sends and signs exactly these bytes. */
  readonly body: string;
}

export type Delivery = StoredRow<"deliveries">;

/** All notifications of an organization over one channel share one queue. */
export function receiverOf(channel: Exclude<DeliveryChannel, "webhook">, orgId: string): string {
  return `${channel}:${orgId}`;
}

/** The envelope that every receiver gets. */
export function bodyOf(kind: string, at: number, data: unknown): string {
  return JSON.stringify({ event_type: kind, timestamp: new Date(at).toISOString(), data });
}
