import { alertSchedule, delayAfter, webhookSchedule } from "@tollgate/core/delivery-schedule";
import type { Attempt, Delivery } from "./delivery.ts";

/** What a delivery is after a try. */
export interface NextState {
  readonly status: "pending" | "delivered" | "failed" | "cancelled";
  readonly tries: number;
  readonly nextAttemptAt: number;
  readonly finishedAt: number | null;
}

/** The whole life of a delivery: this function, once for every try. `jitter` is from [0, 1]. */
export function afterAttempt(
  delivery: Pick<Delivery, "channel" | "tries" | "next_attempt_at">,
  attempt: Pick<Attempt, "outcome" | "retryAfterMs">,
  now: number,
  jitter: number,
): NextState {
  const tries = delivery.tries + 1;
  const ended = (status: "delivered" | "failed"): NextState => ({
    status,
    tries,
    nextAttemptAt: delivery.next_attempt_at,
    finishedAt: now,
  });
  switch (attempt.outcome) {
    case "delivered":
      return ended("delivered");
    case "gone":
    case "hopeless":
      return ended("failed");
    case "withdrawn":
      return {
        status: "cancelled",
        tries: delivery.tries,
        nextAttemptAt: delivery.next_attempt_at,
        finishedAt: now,
      };
    case "failed": {
      const schedule = delivery.channel === "webhook" ? webhookSchedule : alertSchedule;
      const delay = delayAfter(schedule, tries, jitter);
      if (delay === null) return ended("failed");
      const nextAttemptAt = now + Math.max(delay, attempt.retryAfterMs ?? 0);
      return { status: "pending", tries, nextAttemptAt, finishedAt: null };
    }
    default:
      return attempt.outcome satisfies never;
  }
}
