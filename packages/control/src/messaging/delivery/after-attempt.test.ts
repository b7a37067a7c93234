import { describe, expect, it } from "bun:test";
import {
  ALERT_SPAN_MS,
  alertSchedule,
  MAX_RETRY_AFTER_MS,
  WEBHOOK_SPAN_MS,
  webhookSchedule,
} from "@tollgate/core/delivery/schedule";
import fc from "fast-check";
import type { Attempt } from "../../kernel/transport.ts";
import { afterAttempt } from "./after-attempt.ts";

const NOW = Date.parse("2026-11-15T12:00:00Z");
const FIRST = NOW - 60_000;
const failed = (retryAfterMs: number | null = null) => ({ outcome: "failed", retryAfterMs }) as const;

const after = (
  tries: number,
  attempt: Pick<Attempt, "outcome" | "retryAfterMs">,
  channel: "webhook" | "slack" = "webhook",
  firstTriedAt: number | null = tries === 0 ? null : FIRST,
) =>
  afterAttempt(
    { channel, tries, next_attempt_at: NOW - 10, first_tried_at: firstTriedAt },
    attempt,
    { startedAt: NOW - 1, endedAt: NOW },
    1,
  );

describe("after an attempt", () => {
  it.each(["delivered", "failed"] as const)("HOOK-008 %s", outcome => {
    const next = after(0, { outcome, retryAfterMs: null });
    expect(next).toEqual(
      outcome === "delivered"
        ? {
            status: "delivered",
            tries: 1,
            nextAttemptAt: NOW - 10,
            firstTriedAt: NOW - 1,
            finishedAt: NOW,
          }
        : {
            status: "pending",
            tries: 1,
            nextAttemptAt: NOW + 5000,
            firstTriedAt: NOW - 1,
            finishedAt: null,
          },
    );
  });

  it.each([
    ["gone", "failed", 4],
    ["permanent_failure", "failed", 4],
    ["withdrawn", "cancelled", 3],
  ] as const)("%s ends a delivery as %s with %i attempts", (outcome, status, tries) => {
    const next = after(3, { outcome, retryAfterMs: 1000 });
    expect(next).toEqual({ status, tries, nextAttemptAt: NOW - 10, firstTriedAt: FIRST, finishedAt: NOW });
  });

  it("HOOK-009 a webhook's tenth failed attempt is its last, an alert channel's sixth is", () => {
    expect(after(8, failed()).status).toBe("pending");
    expect(after(9, failed(5000))).toMatchObject({ status: "failed", tries: 10 });
    expect(after(4, failed(), "slack").status).toBe("pending");
    expect(after(5, failed(), "slack")).toMatchObject({ status: "failed", tries: 6 });
  });

  it.each([
    [60_000, 60_000],
    [1000, 5000],
    [null, 5000],
  ])("HOOK-010 with a Retry-After of %p ms the second attempt follows after %p ms", (asked, waited) => {
    expect(after(0, failed(asked)).nextAttemptAt).toBe(NOW + waited);
  });

  it.each([
    [WEBHOOK_SPAN_MS - 600_000, "pending"],
    [WEBHOOK_SPAN_MS - 599_999, "failed"],
  ] as const)(
    "HOOK-009 a Retry-After of ten minutes, %i ms after the first attempt: the delivery is %s",
    (ms, status) => {
      expect(after(1, failed(600_000), "webhook", NOW - ms).status).toBe(status);
    },
  );

  it("HOOK-009 HOOK-010 never waits less than Retry-After or beyond 75 hours in total, and always ends", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("webhook" as const, "email" as const),
        fc.array(
          fc.record({
            retryAfterMs: fc.option(fc.integer({ min: 0, max: MAX_RETRY_AFTER_MS })),
            jitter: fc.double({ min: 0, max: 1, noNaN: true }),
          }),
          { minLength: 12, maxLength: 12 },
        ),
        (channel, answers) => {
          const schedule = channel === "webhook" ? webhookSchedule : alertSchedule;
          let now = NOW;
          const spanMs = channel === "webhook" ? WEBHOOK_SPAN_MS : ALERT_SPAN_MS;
          let delivery = { channel, tries: 0, next_attempt_at: now, first_tried_at: null as number | null };
          for (const { retryAfterMs, jitter } of answers) {
            const next = afterAttempt(
              delivery,
              failed(retryAfterMs),
              { startedAt: now, endedAt: now },
              jitter,
            );
            expect(next.tries).toBe(delivery.tries + 1);
            if (next.status !== "pending") {
              expect([next.status, next.finishedAt]).toEqual(["failed", now]);
              const isLast = next.tries === schedule.length;
              const least = Math.max((schedule[next.tries] ?? 0) * 0.9, retryAfterMs ?? 0);
              expect(isLast || Math.ceil(now + least) > NOW + spanMs - (schedule[next.tries] ?? 0) / 10).toBe(
                true,
              );
              return;
            }
            expect(next.firstTriedAt).toBe(NOW);
            expect(next.nextAttemptAt).toBeLessThanOrEqual(NOW + spanMs);
            const entry = schedule[next.tries] ?? 0;
            const waited = next.nextAttemptAt - now;
            expect(waited).toBeGreaterThanOrEqual(Math.max(Math.floor(entry * 0.9), retryAfterMs ?? 0));
            expect(waited).toBeLessThanOrEqual(Math.max(entry, retryAfterMs ?? 0));
            now = next.nextAttemptAt;
            delivery = {
              channel,
              tries: next.tries,
              next_attempt_at: next.nextAttemptAt,
              first_tried_at: next.firstTriedAt,
            };
          }
          throw new Error("it never ended");
        },
      ),
    );
  });
});
