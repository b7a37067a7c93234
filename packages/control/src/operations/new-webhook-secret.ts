const BYTES = 32;

/** As Standard Webhooks writes a key. */
export function newWebhookSecret(): string {
  return `whsec_${Buffer.from(crypto.getRandomValues(new Uint8Array(BYTES))).toString("base64")}`;
}
