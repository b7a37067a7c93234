import { fail } from "@tollgate/core/errors";
import type { Handler } from "../../kernel/handler.ts";
import { ConcurrencyLimit } from "../../messaging/delivery/concurrency-limit.ts";
import { bodyOf, type Delivery } from "../../messaging/delivery/delivery.ts";
import { writeAttempts } from "../../messaging/delivery/record-attempts.ts";
import { writeDeliveries } from "../../messaging/delivery/write-deliveries.ts";
import { findWebhook } from "./find-webhook.ts";

const KIND = "webhook.test";
const concurrency = new ConcurrencyLimit(5);

/** Makes one attempt immediately; it is logged like any other and does not count towards disabling the webhook. */
export const webhooksTest: Handler<"webhooks.test"> = async (context, { id }) => {
  const { scope, newId } = context;
  const webhook = await findWebhook(context, id);
  if (webhook.disabled_at !== null) throw fail("invalid_request", "The webhook is disabled; enable it first");
  const startedAt = context.now();
  const delivery: Delivery = {
    id: newId(),
    org_id: scope.orgId,
    mode: scope.mode,
    channel: "webhook",
    receiver: id,
    kind: KIND,
    subject_id: id,
    body: bodyOf(KIND, startedAt, { webhook_id: id, org_id: scope.orgId, message: "This is a test" }),
    status: "failed",
    tries: 1,
    next_attempt_at: startedAt,
    first_tried_at: startedAt,
    created_at: startedAt,
    finished_at: startedAt,
  };
  const start = performance.now();
  const attempt = await concurrency.run(scope.orgId, () => context.transports.webhook(delivery));
  const durationMs = Math.round(performance.now() - start);
  const isDelivered = attempt.outcome === "delivered";
  // Written afterwards: if it were pending, the sender would send it too.
  const ended = { ...delivery, status: isDelivered ? "delivered" : "failed", finished_at: context.now() };
  await context.db.transaction().execute(async transaction => {
    await writeDeliveries(transaction, context.engine, [ended]);
    await writeAttempts(transaction, context.engine, [{ delivery, attempt, startedAt, durationMs }]);
  });
  return {
    delivery_id: delivery.id,
    delivered: isDelivered,
    http_status: attempt.httpStatus,
    error: attempt.error,
    answer: attempt.answer,
    duration_ms: durationMs,
  };
};
