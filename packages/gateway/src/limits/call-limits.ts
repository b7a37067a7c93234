import type { TollgateError } from "@tollgate/core/errors";
import type { Mode } from "@tollgate/core/event";
import {
  type RateLimitHeaders,
  rateLimitHeaders,
  rateLimitReached,
} from "@tollgate/core/limits/rate-limit-answer";
import { SlidingWindow } from "@tollgate/core/limits/sliding-window";
import type { TierLimits } from "@tollgate/core/limits/tiers";
import { MINUTE_MS } from "@tollgate/core/time/durations";
import { monthOf, startOfNextMonth } from "@tollgate/core/time/month";
import type { BurstGrant, SharedBurst } from "./shared-burst.ts";
import type { MonthOfCalls, MonthReservation, SharedMonths } from "./shared-months.ts";

interface Counted {
  readonly orgId: string;
  readonly mode: Mode;
}

interface Limited extends Counted {
  readonly limits: TierLimits;
}

/** null: not asked for. */
export interface SharedGrants {
  readonly burst: BurstGrant | null;
  readonly month: MonthReservation | null;
}

const noGrants: SharedGrants = { burst: null, month: null };

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
    /** These two are null in the only gateway. */
    private readonly shared: SharedBurst | null = null,
    private readonly sharedMonths: SharedMonths | null = null,
  ) {}

  /** `grants`: what the call was granted of limits that several gateways share. */
  check(org: Limited, nowMs: number, grants: SharedGrants = noGrants): void {
    const limit = grants.burst === null ? this.#ownBurst(org.limits) : grants.burst.ownLimit;
    const window = this.#window(org);
    const used = window.used(nowMs);
    if (used >= limit) throw burstReached(org.limits, limit, used, window.roomAt(limit, nowMs), nowMs);
    if (grants.month === null) this.checkMonth(org, nowMs);
  }

  /**
   * Takes a slot of the burst limit that several gateways share. null: the limit is not shared, or the counter is
   * unavailable. Rejects with 429.
   */
  askForBurst(org: Limited, now: () => number): Promise<BurstGrant> | null {
    const { limits } = org;
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
  checkMonth(org: Limited, nowMs: number): void {
    if (org.mode === "test") return;
    const { calls } = this.#month(org.orgId, nowMs);
    if (calls >= org.limits.monthlyCalls) throw monthReached(org.limits, calls, nowMs);
    const shared = this.#sharedMonths(org);
    const spent = shared === null ? null : shared.spent(this.#shareOf(org, nowMs));
    if (spent !== null) throw monthReached(org.limits, spent, nowMs);
  }

  /** Reserves a call of the month that several gateways share. null: the limit is not shared. Rejects with 429. */
  askForMonth(org: Limited, now: () => number): MonthReservation | Promise<MonthReservation> | null {
    const shared = this.#sharedMonths(org);
    if (shared === null) return null;
    const nowMs = now();
    const month = this.#shareOf(org, nowMs);
    const asked = shared.reserve(month);
    if (!(asked instanceof Promise)) return asked;
    return asked.then(reservation => {
      if (reservation !== null) return reservation;
      throw monthReached(org.limits, shared.usedCalls(month), nowMs);
    });
  }

  /** Counts an admitted call, which ends its reservation: never both. Call `check` first, in the same turn. */
  take(org: Counted, nowMs: number, grants: SharedGrants = noGrants): void {
    this.takeBurst(org, nowMs);
    grants.month?.release();
    if (org.mode === "live") this.#month(org.orgId, nowMs).calls++;
  }

  /** Counts a passed-through request toward the burst limit only. */
  takeBurst(org: Counted, nowMs: number): void {
    this.#window(org).add(nowMs);
  }

  /**
   * Counts ingested events of this month; for other months the ledger counts them, and it is read when a month begins.
   */
  takeIngested(org: Limited, events: number, nowMs: number): void {
    if (org.mode === "test") return;
    this.#month(org.orgId, nowMs).calls += events;
    this.#sharedMonths(org)?.counted(this.#shareOf(org, nowMs));
  }

  /** The call was not made after all: uncounts it in the month. The minute passes soon enough by itself. */
  release(org: Counted, takenAtMs: number): void {
    const counter = this.#months.get(org.orgId);
    if (org.mode === "live" && counter?.month === monthOf(takenAtMs)) counter.calls--;
  }

  headers(org: Limited, nowMs: number): RateLimitHeaders {
    const { limits } = org;
    const total = this.shared === null ? null : this.shared.total(org);
    if (total !== null) {
      return rateLimitHeaders(limits.burstPerMinute, total.used, nowMs + total.leftMs, nowMs);
    }
    const window = this.#window(org);
    return rateLimitHeaders(this.#ownBurst(limits), window.used(nowMs), window.nextLeaves(nowMs), nowMs);
  }

  /** Counts a call that was admitted before a restart. */
  restore(org: Counted, admittedAtMs: number): void {
    this.#window(org).add(admittedAtMs);
  }

  #ownBurst({ burstPerMinute }: TierLimits): number {
    return this.shared === null ? burstPerMinute : this.shared.ownLimit(burstPerMinute);
  }

  #window(org: Counted): SlidingWindow {
    const windows = this.#windows[org.mode];
    let window = windows.get(org.orgId);
    if (!window) {
      window = new SlidingWindow(MINUTE_MS);
      windows.set(org.orgId, window);
    }
    return window;
  }

  /** null: there is no monthly limit, or nobody to share it with. */
  #sharedMonths({ mode, limits }: Limited): SharedMonths | null {
    return mode === "test" || limits.monthlyCalls === Number.POSITIVE_INFINITY ? null : this.sharedMonths;
  }

  #shareOf({ orgId, limits }: Limited, nowMs: number): MonthOfCalls {
    const counter = this.#month(orgId, nowMs);
    return { orgId, month: counter.month, limit: limits.monthlyCalls, ownCalls: () => counter.calls };
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

function monthReached({ monthlyCalls: limit }: TierLimits, current: number, nowMs: number): TollgateError {
  return rateLimitReached(
    "monthly_limit",
    current < limit
      ? `the rest of the monthly limit of ${limit} calls is held by other gateways`
      : `monthly limit of ${limit} calls exceeded`,
    { limit, current, resetAtMs: current < limit ? nowMs + 1000 : startOfNextMonth(nowMs) },
    nowMs,
  );
}
