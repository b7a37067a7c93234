import type { BudgetAccount } from "@tollgate/core/budgets/account";
import type { Budget } from "@tollgate/core/budgets/budget";
import { periodSpan } from "@tollgate/core/budgets/period";
import { type Microcents, microcents, saturated, ZERO_MICROCENTS } from "@tollgate/core/money/money";
import type { AllowanceRequest, Allowance as Answer } from "@tollgate/storage/shared-ledger/grant-share";
import type { Need, Share } from "./shares.ts";

/** A node that cannot reach the bank stops admitting after this long: its part may have been given to others. */
const LEASE_MS = 30_000;
/** Also how long an unused allowance is kept. */
export const RENEW_EVERY_MS = 10_000;
/** Near the end of a budget it is worth asking again soon: other nodes give back what their calls did not use. */
const RETRY_MS = 50;
const SPENT_RETRY_MS = 1000;
const FAULT_RETRY_MS = 1000;

const NOTHING_WANTED: Need = { fittingMicrocents: ZERO_MICROCENTS, leastMicrocents: ZERO_MICROCENTS };

/** The bank's last answer, minus what this node has given up since. */
interface Grant {
  readonly kind:
    | "none" // the bank has not answered yet, or waits for the reports of other nodes
    | "part" // a call has to fit into it
    | "last" // no other node can get more: calls are admitted until it is used up, as on one machine
    | "spent"; // all nodes together have used the whole limit
  readonly totalMicrocents: Microcents;
  /** What the answer added: when half of it is used, more is requested. */
  readonly addedMicrocents: number;
  readonly leaseEndsAtMs: number;
  /** The settled amount that the bank knows. */
  readonly reportedMicrocents: Microcents;
  readonly spentElsewhereMicrocents: Microcents;
  /** What the bank keeps for this node until the next request: perhaps more, for calls in flight, or if the answer had been lost. */
  readonly heldMicrocents: number;
}

const NO_GRANT: Grant = {
  kind: "none",
  totalMicrocents: ZERO_MICROCENTS,
  addedMicrocents: 0,
  leaseEndsAtMs: 0,
  reportedMicrocents: ZERO_MICROCENTS,
  spentElsewhereMicrocents: ZERO_MICROCENTS,
  heldMicrocents: 0,
};

/** The bank is asked at the end of this turn of the event loop, once for all calls that wait for it. */
interface Due {
  readonly kind: "due";
  readonly need: Need;
  readonly awaitedMicrocents: Microcents;
}

interface Asked {
  readonly kind: "asked";
  readonly request: AllowanceRequest;
  readonly need: Need;
  readonly isReport: boolean;
  /** The grant before this request gave any of it back. */
  readonly grantedMicrocents: Microcents;
  readonly atMs: number;
  readonly ended: PromiseWithResolvers<void>;
}

type Question = { readonly kind: "none" } | Due | Asked;

const NO_QUESTION: Question = { kind: "none" };

/** Why a request is made. A renewal also reports what was spent. */
export type Purpose = Due | "renewal" | "return";

/**
 * What this node holds of one budget in one period, and whether it asks the bank for more. The transitions between these
 * states are in docs/decisions/0033-several-machines.md. It does not talk to the bank itself: see allowances.ts.
 */
export class Allowance {
  #budget: Budget;
  #account: BudgetAccount;
  #grant = NO_GRANT;
  #question: Question = NO_QUESTION;
  /** Until then, calls send no request. Not a state of the question, because renewals do not wait for it. */
  #pausedUntilMs = 0;
  /**
   * What the call needs for which the bank was asked, and until when it is kept for that call, which may still wait for another
   * budget's answer. A request for a larger call would give it up.
   */
  #offer: { readonly neededMicrocents: number; readonly untilMs: number } | null = null;
  /** The last request was not answered. The grant may be used until its lease ends. */
  #isCutOff = false;
  /** The budget has become blocking, and other nodes wait for this node's report of what it has spent. */
  #isReportDue = false;
  #usedAtMs: number;

  constructor(
    /** The budget and the period. */
    readonly key: string,
    budget: Budget,
    account: BudgetAccount,
    nowMs: number,
  ) {
    this.#budget = budget;
    this.#account = account;
    this.#usedAtMs = nowMs;
  }

  get budget(): Budget {
    return this.#budget;
  }

  get isCutOff(): boolean {
    return this.#isCutOff;
  }

  /** Resolves when the request in flight has ended; null: there is none. */
  get underWay(): Promise<void> | null {
    return this.#question.kind === "asked" ? this.#question.ended.promise : null;
  }

  get due(): Due | null {
    return this.#question.kind === "due" ? this.#question : null;
  }

  /** Spend beyond the grant is reported to the bank immediately, not with the next request. */
  get mustReport(): boolean {
    const { totalMicrocents, reportedMicrocents } = this.#grant;
    return this.#isReportDue || settledOf(this.#account) > Math.max(totalMicrocents, reportedMicrocents);
  }

  /** Nothing is left here or elsewhere, as far as is known. */
  isSpent(budget: Budget): boolean {
    const { kind, totalMicrocents } = this.#grant;
    return kind === "spent" && this.#budget === budget && totalMicrocents <= settledOf(this.#account);
  }

  share(need: Need, nowMs: number): Share {
    const { kind, spentElsewhereMicrocents } = this.#grant;
    return {
      limitMicrocents: this.#limitAt(nowMs),
      neededMicrocents: neededOf(need, kind),
      isAsked: this.#question.kind !== "none",
      mayGrow: kind !== "spent" && !this.#isCutOff,
      isSpent: kind === "spent",
      spentElsewhereMicrocents,
    };
  }

  /** Call after admitting a call. Refused calls do not count as use: an allowance that only they ask for is given back. */
  admitted(nowMs: number): void {
    this.#usedAtMs = nowMs;
    this.#offer = null;
  }

  /** For an account that was dropped and read again from the ledger. Returns the old one. */
  moveTo(account: BudgetAccount): BudgetAccount {
    const before = this.#account;
    this.#account = account;
    return before;
  }

  /** Every change of the configuration creates a new object for the budget. */
  follow(budget: Budget): void {
    if (this.#budget === budget) return;
    const { limitMicrocents: before, blockingSinceMs } = this.#budget;
    this.#budget = budget;
    if (budget.limitMicrocents !== before) this.#changeLimit(budget.limitMicrocents < before);
    if (budget.blockingSinceMs !== blockingSinceMs) this.#becomeBlocking();
  }

  /** Other nodes wait for this node's spend. */
  requireReport(): void {
    this.#isReportDue = true;
  }

  /** Requests more if the call does not fit or half of the last grant is used. true: a request has become due. */
  requestFor(need: Need, nowMs: number): boolean {
    const neededMicrocents = neededOf(need, this.#grant.kind);
    const leftMicrocents = this.#limitAt(nowMs) - usedOf(this.#account);
    if (leftMicrocents >= Math.max(neededMicrocents, this.#grant.addedMicrocents / 2)) return false;
    const question = this.#question;
    if (question.kind === "asked" || nowMs < this.#pausedUntilMs) return false;
    const isWaiting = leftMicrocents < neededMicrocents;
    const offer = this.#offer;
    const isOffered = offer !== null && nowMs < offer.untilMs && leftMicrocents >= offer.neededMicrocents;
    if (isWaiting && isOffered) return false;
    const due = question.kind === "due" ? question : { need, awaitedMicrocents: ZERO_MICROCENTS };
    this.#question = {
      kind: "due",
      need: due.need,
      awaitedMicrocents: saturated(due.awaitedMicrocents + (isWaiting ? need.fittingMicrocents : 0)),
    };
    return question.kind === "none";
  }

  /** What to do every ten seconds; "end": the allowance can be forgotten. */
  upkeep(nowMs: number): "none" | "renewal" | "return" | "end" {
    if (this.#question.kind === "asked") return "none";
    const { heldMicrocents, reportedMicrocents } = this.#grant;
    if (nowMs - this.#usedAtMs < RENEW_EVERY_MS) return "renewal";
    const isUnused = heldMicrocents <= usedOf(this.#account) && this.#account.reservedMicrocents === 0;
    // An answer that got lost may have granted something.
    const isReported =
      !this.#isReportDue && !this.#isCutOff && settledOf(this.#account) <= reportedMicrocents;
    return isUnused && isReported ? "end" : "return";
  }

  /** Returns the request to send now. */
  ask(purpose: Purpose, nowMs: number): AllowanceRequest {
    const budget = this.#budget;
    const account = this.#account;
    const { kind, totalMicrocents } = this.#grant;
    const { need, awaitedMicrocents } =
      typeof purpose === "string" ? { need: NOTHING_WANTED, awaitedMicrocents: ZERO_MICROCENTS } : purpose;
    const isReport = this.#isReportDue;
    const settledMicrocents = settledOf(account);
    // Also what exceeds the grant: no other node may use what calls in flight have reserved.
    const usedMicrocents = usedOf(account);
    const givesBack = purpose === "return" || isReport;
    // Now, not with the answer, which may get lost. The bank also takes back a part that is too small for the call.
    if (givesBack || totalMicrocents - usedMicrocents < need.fittingMicrocents) {
      this.#grant = reduced(this.#grant, usedMicrocents);
    }
    // Another node may become the last one before the answer arrives.
    if (kind === "last") this.#grant = { ...this.#grant, kind: "part" };
    const request = {
      orgId: budget.orgId,
      budgetId: budget.id,
      sinceMs: budget.sinceMs,
      period: periodSpan(budget.period, account.startsAtMs).id,
      limitMicrocents: budget.limitMicrocents,
      blockingSinceMs: budget.blockingSinceMs,
      settledMicrocents,
      usedMicrocents,
      wantedMicrocents: need.fittingMicrocents,
      awaitedMicrocents,
      keptMicrocents: this.#limitAt(nowMs),
      givesBack,
    };
    this.#question = {
      kind: "asked",
      request,
      need,
      isReport,
      grantedMicrocents: totalMicrocents,
      atMs: nowMs,
      ended: Promise.withResolvers(),
    };
    this.#isReportDue = false;
    return request;
  }

  /** Returns after how many milliseconds waiting calls must be checked again; 0: at once. */
  answered(answer: Answer, nowMs: number): number {
    const { request, need, grantedMicrocents, atMs } = this.#end();
    this.#isCutOff = false;
    const kind = this.#kindOf(answer);
    const totalMicrocents = kind === "none" ? ZERO_MICROCENTS : answer.grantedMicrocents;
    this.#grant = {
      kind,
      totalMicrocents,
      addedMicrocents: Math.max(0, totalMicrocents - grantedMicrocents),
      // Measured from the request: the answer may have taken long.
      leaseEndsAtMs: atMs + LEASE_MS,
      reportedMicrocents: request.settledMicrocents,
      spentElsewhereMicrocents: answer.settledElsewhereMicrocents,
      heldMicrocents: Math.max(request.usedMicrocents, request.keptMicrocents, answer.grantedMicrocents),
    };
    const { limitMicrocents } = this.#budget;
    if (limitMicrocents !== request.limitMicrocents) {
      this.#changeLimit(limitMicrocents < request.limitMicrocents);
      return 0;
    }
    const neededMicrocents = neededOf(need, kind);
    if (totalMicrocents - usedOf(this.#account) >= neededMicrocents) {
      if (kind === "spent" || neededMicrocents === 0) return 0;
      this.#offer = { neededMicrocents, untilMs: nowMs + RETRY_MS };
      return RETRY_MS;
    }
    return this.#pause(kind === "spent" ? SPENT_RETRY_MS : RETRY_MS, nowMs);
  }

  /** For a request that has failed. Returns for how many milliseconds calls send no further request. */
  unanswered(nowMs: number): number {
    const { isReport } = this.#end();
    this.#isCutOff = true;
    this.#isReportDue ||= isReport;
    return this.#pause(FAULT_RETRY_MS, nowMs);
  }

  /** While reports are missing, not even what calls in flight release may be used: other nodes may have spent it. */
  #kindOf({ awaitsReports, isSpent, isLast }: Answer): Grant["kind"] {
    if (awaitsReports || this.#isReportDue) return "none";
    if (isSpent) return "spent";
    return isLast ? "last" : "part";
  }

  #end(): Asked {
    const asked = this.#question;
    if (asked.kind !== "asked") throw new Error("the bank has answered a request that was not made");
    this.#question = NO_QUESTION;
    asked.ended.resolve();
    return asked;
  }

  #pause(ms: number, nowMs: number): number {
    this.#pausedUntilMs = nowMs + ms;
    return ms;
  }

  /** Gives up the grant: it dates from before a time in which the budget did not block, and nodes spent without allowances. */
  #becomeBlocking(): void {
    this.#isReportDue = true;
    this.#grant = { ...this.#grant, kind: "none", totalMicrocents: ZERO_MICROCENTS };
  }

  /** The bank's answer was about the old limit. If that was higher, the grant may exceed the new one. */
  #changeLimit(isLowered: boolean): void {
    const { kind } = this.#grant;
    this.#pausedUntilMs = 0;
    if (kind === "spent" || (kind === "last" && isLowered)) this.#grant = { ...this.#grant, kind: "part" };
    // Not even what calls in flight release may be used: others may have spent it.
    if (isLowered) this.#grant = reduced(this.#grant, settledOf(this.#account));
  }

  #limitAt(nowMs: number): Microcents {
    const { leaseEndsAtMs, totalMicrocents } = this.#grant;
    if (nowMs >= leaseEndsAtMs) return ZERO_MICROCENTS;
    return microcents(Math.max(0, Math.min(totalMicrocents, this.#budget.limitMicrocents)));
  }
}

function neededOf(need: Need, kind: Grant["kind"]): Microcents {
  return kind === "last" ? need.leastMicrocents : need.fittingMicrocents;
}

/** The grant without its unused part. */
function reduced(grant: Grant, usedMicrocents: Microcents): Grant {
  return { ...grant, totalMicrocents: microcents(Math.min(grant.totalMicrocents, usedMicrocents)) };
}

function settledOf({ settledMicrocents, withheldMicrocents }: BudgetAccount): Microcents {
  return saturated(settledMicrocents + withheldMicrocents);
}

function usedOf({ settledMicrocents, withheldMicrocents, reservedMicrocents }: BudgetAccount): Microcents {
  return saturated(settledMicrocents + withheldMicrocents + reservedMicrocents);
}
