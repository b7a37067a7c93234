import { toIsoTime } from "@tollgate/core/contract/fields/iso-time";
import type { Handler } from "../kernel/handler.ts";
import { findWebhookDelivery } from "./find-delivery.ts";
import { readAttempts, toWebhookDelivery } from "./to-delivery.ts";

export const webhooksDeliveriesGet: Handler<"webhooks.deliveries.get"> = async (context, { id }) => {
  const row = await findWebhookDelivery(context, id);
  const attempts = (await readAttempts(context, [row])).get(id) ?? [];
  return {
    ...toWebhookDelivery(row, attempts),
    body: row.body,
    attempt_log: attempts.map(({ number, started_at, duration_ms, http_status, error, answer }) => ({
      number,
      started_at: toIsoTime(started_at),
      duration_ms,
      http_status,
      error,
      answer,
    })),
  };
};
