import { randomBytes } from "node:crypto";

const BYTES = 32;

/** After a rotation both secrets sign for so long: a receiver changes over without refusing anything. */
export const OVERLAP_MS = 86_400_000;

/** Written as Standard Webhooks writes its keys, so that its libraries take it as it is. */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(BYTES).toString("base64")}`;
}
