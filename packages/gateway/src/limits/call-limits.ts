import type { TollgateError } from "@tollgate/core/errors";
import type { Mode } from "@tollgate/core/event";
import {
  type RateLimitHeaders,
  rateLimitHeaders,
  rateLimitReached,
} from "@tollgate/core/limits/rate-limit-answer";
import { SlidingWindow } from "@tollgate/core/limits/sliding-window";
import type { TierLimits } from "@tollgate/core/limits/tiers";
import { monthOf, startOfNextMonth } from "@tollgate/core/time/month";
import type { BurstGrant, SharedBurst } from "./shared-burst.ts";

const MINUTE_MS = 60_000;

interface Limited {
  readonly orgId: string;
  readonly mode: Mode;
}

/**
 * Limits an organization's calls: a sliding minute, exactly, and the UTC month. Test calls have their own window and no
 * monthly count. Checking and counting are separate: a call is refused before its body is read, and counted once only
 * the provider can still refuse it. Everything is synchronous, so no two calls share a slot.
 */
export class CallLimits {
  readonly #windows = { live: new Map<string, SlidingWindow>(), test: new Map<string, SlidingWindow>() };
  readonly #months = new Map<string, { month: string; calls: number }>();

  constructor(
    private readonly callsInMonth: (orgId: string, month: string) => number,
    /** null: this is the only gateway. */
    private readonly shared: SharedBurst | null = null,
  ) {}

  /** `grant` is the answer of the counter that several gateways share, if it was asked. */
  check(org: Limited, limits: TierLimits, nowMs: number, grant: BurstGrant | null = null): void {
    const limit = grant === null ? this.#ownBurst(limits) : grant.ownLimit;
    const window = this.#window(org);
    const used = window.used(nowMs);
    if (used >= limit) throw burstReached(limits, limit, used, window.roomAt(limit, nowMs), nowMs);
    this.checkMonth(org, limits, nowMs);
  }

  /** Takes a slot of the burst limit that several gateways share. null: there is nobody to ask. Rejects with 429. */
  askForBurst(org: Limited, limits: TierLimits, now: () => number): Promise<BurstGrant> | null {
    const asked = this.shared === null ? null : this.shared.ask(org, limits.burstPerMinute);
    if (asked === null) return null;
    return asked.then(grant => {
      const { answer } = grant;
      if (answer === null || answer.isAdmitted) return grant;
      const nowMs = now();
      throw burstReached(limits, limits.burstPerMinute, answer.used, nowMs + answer.waitMs, nowMs);
    });
  }

  /** Ingested events count only toward the month: they were not made this minute. */
  checkMonth(org: Limited, limits: TierLimits, nowMs: number): void {
    if (org.mode === "test") return;
    const calls = this.#month(org.orgId, nowMs).calls;
    if (calls >= limits.monthlyCalls) {
      throw rateLimitReached(
        "monthly_limit",
        `monthly limit of ${limits.monthlyCalls} calls exceeded`,
        { limit: limits.monthlyCalls, current: calls, resetAtMs: startOfNextMonth(nowMs) },
        nowMs,
      );
    }
  }

  /** Counts an admitted call. Call `check` first, in the same turn. */
  take(org: Limited, nowMs: number): void {
    this.takeBurst(org, nowMs);
    if (org.mode === "live") this.#month(org.orgId, nowMs).calls++;
  }

  /** Counts a passed-through request toward the burst limit only. */
  takeBurst(org: Limited, nowMs: number): void {
    this.#window(org).add(nowMs);
  }

  /**
   * Counts ingested events of this month; for other months the ledger counts them, and it is read when a month begins.
   */
  takeIngested(org: Limited, events: number, nowMs: number): void {
    if (org.mode === "live") this.#month(org.orgId, nowMs).calls += events;
  }

  /** The call was not made after all: uncounts it in the month. The minute passes soon enough by itself. */
  release(org: Limited, takenAtMs: number): void {
    const counter = this.#months.get(org.orgId);
    if (org.mode === "live" && counter?.month === monthOf(takenAtMs)) counter.calls--;
  }

  headers(org: Limited, limits: TierLimits, nowMs: number): RateLimitHeaders {
    const total = this.shared === null ? null : this.shared.total(org);
    if (total !== null) {
      return rateLimitHeaders(limits.burstPerMinute, total.used, nowMs + total.leftMs, nowMs);
    }
    const window = this.#window(org);
    return rateLimitHeaders(this.#ownBurst(limits), window.used(nowMs), window.nextLeaves(nowMs), nowMs);
  }

  /** Counts a call that was admitted before a restart. */
  restore(org: Limited, admittedAtMs: number): void {
    this.#window(org).add(admittedAtMs);
  }

  #ownBurst({ burstPerMinute }: TierLimits): number {
    return this.shared === null ? burstPerMinute : this.shared.ownLimit(burstPerMinute);
  }

  #window(org: Limited): SlidingWindow {
    const windows = this.#windows[org.mode];
    let window = windows.get(org.orgId);
    if (!window) {
      window = new SlidingWindow(MINUTE_MS);
      windows.set(org.orgId, window);
    }
    return window;
  }

  #month(orgId: string, nowMs: number): { month: string; calls: number } {
    const month = monthOf(nowMs);
    let counter = this.#months.get(orgId);
    if (counter?.month !== month) {
      counter = { month, calls: this.callsInMonth(orgId, month) };
      this.#months.set(orgId, counter);
    }
    return counter;
  }
}

function burstReached(
  { burstPerMinute }: TierLimits,
  limit: number,
  current: number,
  resetAtMs: number,
  nowMs: number,
): TollgateError {
  const sentence = `rate limit of ${burstPerMinute} calls a minute exceeded`;
  const share = `${sentence}: ${limit} of them are this gateway's share`;
  return rateLimitReached(
    "rate_limited",
    limit === burstPerMinute ? sentence : share,
    { limit, current, resetAtMs },
    nowMs,
  );
}
