import { createHmac } from "node:crypto";
import { Webhook } from "standardwebhooks";

export interface Received {
  readonly id: string;
  readonly body: string;
  readonly at: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Both signatures are valid, the second one according to the official library. */
  readonly isSigned: boolean;
}

/** A customer's backend on loopback. `onDelivery` may answer with another status than 200. */
export function startWebhookReceiver(
  secret: string,
  onDelivery: (received: Received) => Response | undefined | Promise<Response | undefined> = () => undefined,
) {
  const received: Received[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const body = await request.text();
      const headers = Object.fromEntries(request.headers);
      const delivery: Received = {
        id: headers["webhook-id"] ?? "",
        body,
        at: Date.now(),
        headers,
        isSigned: isSigned(secret, body, headers),
      };
      received.push(delivery);
      return (await onDelivery(delivery)) ?? Response.json({ success: true });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/hook`,
    received,
    stop: () => server.stop(true),
  };
}

export const payloadOf = ({ body }: Pick<Received, "body">) =>
  JSON.parse(body) as { event_type: string; data: unknown };

function isSigned(secret: string, body: string, headers: Record<string, string>): boolean {
  const expected = createHmac("sha256", secret).update(body).digest("hex");
  if (headers["x-webhook-signature"] !== expected) return false;
  try {
    new Webhook(Buffer.from(secret).toString("base64")).verify(body, headers);
    return true;
  } catch {
    return false;
  }
}
