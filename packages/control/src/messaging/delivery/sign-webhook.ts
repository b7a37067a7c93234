import { createHmac } from "node:crypto";

interface ToSign {
  /** The delivery's id, the same for every attempt. */
  readonly id: string;
  /** The time of this attempt: a receiver rejects one that is too old. */
  readonly at: number;
  readonly body: string;
  readonly secret: string;
  /** Also signs during a rotation. */
  readonly previousSecret: string | null;
}

/** Our own signature and that of Standard Webhooks, over the exact bytes of the body. */
export function signedHeaders({ id, at, body, secret, previousSecret }: ToSign): Record<string, string> {
  const timestamp = Math.floor(at / 1000);
  const secrets = previousSecret === null ? [secret] : [secret, previousSecret];
  const standard = secrets.map(
    key => `v1,${createHmac("sha256", keyBytes(key)).update(`${id}.${timestamp}.${body}`).digest("base64")}`,
  );
  return {
    "X-Webhook-Signature": plain(secret, body),
    ...(previousSecret === null ? {} : { "X-Webhook-Signature-Previous": plain(previousSecret, body) }),
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": standard.join(" "),
  };
}

function plain(secret: string, body: string): string {
  return createHmac("sha256", secret).update(body).digest("hex");
}

const standardKey =
  /^whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4}))$/;

/** Standard Webhooks keys are `whsec_` and base64; any other secret is used as its bytes. */
function keyBytes(secret: string): Buffer {
  const encoded = standardKey.exec(secret)?.[1];
  return encoded === undefined ? Buffer.from(secret) : Buffer.from(encoded, "base64");
}
