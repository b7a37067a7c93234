import { randomBytes } from "node:crypto";
import { DAY_MS } from "@tollgate/core/time/durations";

const BYTES = 32;

/** After a rotation both secrets sign for this long, so that a receiver can switch without rejecting anything. */
export const OVERLAP_MS = DAY_MS;

/** In the key format of Standard Webhooks, so that its libraries accept it unchanged. */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(BYTES).toString("base64")}`;
}
