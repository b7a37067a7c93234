import { createHash } from "node:crypto";

const MOST_MS = 2 ** 48 - 1;

/**
 * The id of what a webhook is told of an event: the same whenever it is made, so that a message that a power cut took
 * back goes out again as itself. A UUID (version 8) that begins with the time, like all ids of deliveries.
 */
export function eventDeliveryId(webhookId: string, eventId: string, kind: string, at: number): string {
  const time = Math.min(Math.max(at, 0), MOST_MS).toString(16).padStart(12, "0");
  const bytes = createHash("sha256").update(`${webhookId} ${eventId} ${kind}`).digest();
  // The version and the variant, as RFC 9562 has them.
  bytes.writeUInt8(0x80 | (bytes.readUInt8(0) & 0x0f), 0);
  bytes.writeUInt8(0x80 | (bytes.readUInt8(2) & 0x3f), 2);
  const hex = bytes.toString("hex", 0, 10);
  return `${time.slice(0, 8)}-${time.slice(8)}-${hex.slice(0, 4)}-${hex.slice(4, 8)}-${hex.slice(8)}`;
}
