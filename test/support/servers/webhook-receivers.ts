import { afterAll } from "bun:test";
import { startWebhookReceiver } from "./webhook-receiver.ts";

/** Starts receivers in the tests of one file; all are stopped after its last test. */
export function webhookReceivers(): typeof startWebhookReceiver {
  const started: ReturnType<typeof startWebhookReceiver>[] = [];
  afterAll(async () => {
    await Promise.all(started.map(receiver => receiver.stop()));
  });
  return (...args) => {
    const receiver = startWebhookReceiver(...args);
    started.push(receiver);
    return receiver;
  };
}
