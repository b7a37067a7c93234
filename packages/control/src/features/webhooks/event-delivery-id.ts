import { createHash } from "node:crypto";

const MAX_TIME_MS = 2 ** 48 - 1;

/**
 * A deterministic delivery id for a webhook and an event: a message lost in a power cut is recreated with the same
 * id. A UUID (version 8) that begins with the time, like all delivery ids.
 */
export function eventDeliveryId(webhookId: string, eventId: string, kind: string, at: number): string {
  const time = Math.min(Math.max(at, 0), MAX_TIME_MS).toString(16).padStart(12, "0");
  const bytes = createHash("sha256").update(`${webhookId} ${eventId} ${kind}`).digest();
  // Version and variant bits of RFC 9562.
  bytes.writeUInt8(0x80 | (bytes.readUInt8(0) & 0x0f), 0);
  bytes.writeUInt8(0x80 | (bytes.readUInt8(2) & 0x3f), 2);
  const hex = bytes.toString("hex", 0, 10);
  return `${time.slice(0, 8)}-${time.slice(8)}-${hex.slice(0, 4)}-${hex.slice(4, 8)}-${hex.slice(8)}`;
}
