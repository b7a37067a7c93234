import {
  ALERT_SPAN_MS,
  alertSchedule,
  nextTryAt,
  WEBHOOK_SPAN_MS,
  webhookSchedule,
} from "@tollgate/core/delivery/schedule";
import type { Attempt } from "../../kernel/transport.ts";
import type { Delivery } from "./delivery.ts";

/** A delivery's state after an attempt. */
export interface NextState {
  readonly status: "pending" | "delivered" | "failed" | "cancelled";
  readonly tries: number;
  readonly nextAttemptAt: number;
  /** When this round's first attempt began; null: none yet. */
  readonly firstTriedAt: number | null;
  readonly finishedAt: number | null;
}

/** A delivery's whole life cycle: called once per attempt. `jitter` is in [0, 1]. */
export function afterAttempt(
  delivery: Pick<Delivery, "channel" | "tries" | "next_attempt_at" | "first_tried_at">,
  attempt: Pick<Attempt, "outcome" | "retryAfterMs">,
  { startedAt, endedAt }: { readonly startedAt: number; readonly endedAt: number },
  jitter: number,
): NextState {
  const tries = delivery.tries + 1;
  const firstTriedAt = delivery.first_tried_at ?? startedAt;
  const ended = (status: "delivered" | "failed"): NextState => ({
    status,
    tries,
    nextAttemptAt: delivery.next_attempt_at,
    firstTriedAt,
    finishedAt: endedAt,
  });
  switch (attempt.outcome) {
    case "delivered":
      return ended("delivered");
    case "gone":
    case "permanent_failure":
      return ended("failed");
    case "withdrawn":
      return {
        status: "cancelled",
        tries: delivery.tries,
        nextAttemptAt: delivery.next_attempt_at,
        firstTriedAt: delivery.first_tried_at,
        finishedAt: endedAt,
      };
    case "failed": {
      const failed = { tries, firstTriedAt, endedAt, retryAfterMs: attempt.retryAfterMs };
      const nextAttemptAt =
        delivery.channel === "webhook"
          ? nextTryAt(webhookSchedule, WEBHOOK_SPAN_MS, failed, jitter)
          : nextTryAt(alertSchedule, ALERT_SPAN_MS, failed, jitter);
      if (nextAttemptAt === null) return ended("failed");
      return { status: "pending", tries, nextAttemptAt, firstTriedAt, finishedAt: null };
    }
    default:
      return attempt.outcome satisfies never;
  }
}
