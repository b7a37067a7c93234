import type { BudgetAccount } from "@tollgate/core/budgets/account";
import type { Budget } from "@tollgate/core/budgets/budget";
import { periodSpan } from "@tollgate/core/budgets/period";
import { type Microcents, microcents, saturated, ZERO_MICROCENTS } from "@tollgate/core/money/money";
import { repeatUntil } from "@tollgate/storage/following/repeat-until";
import type { AllowanceBank } from "@tollgate/storage/shared-ledger/allowance-bank";

/** What a node may use of a budget at the moment. */
export interface Share {
  readonly limitMicrocents: Microcents;
  /** What the call needs of it. */
  readonly neededMicrocents: Microcents;
  /** The bank was asked, and its answer will wake the calls that wait. */
  readonly isAsked: boolean;
  /** More may come within milliseconds. */
  readonly mayGrow: boolean;
  /** All nodes together have used the whole limit. */
  readonly isSpent: boolean;
  /** What other nodes had spent when the bank last answered. */
  readonly spentElsewhereMicrocents: Microcents;
}

export interface Need {
  /** What the call costs at most: a strict bound under a strict budget, otherwise a cautious estimate. */
  readonly fittingMicrocents: Microcents;
  /** What has to be left of a budget that no other node uses. */
  readonly leastMicrocents: Microcents;
}

/** The parts of shared budgets that this node may use. */
export interface Shares {
  /** Nothing is left here or elsewhere, as far as is known. */
  isSpent(budget: Budget, account: BudgetAccount): boolean;
  /** Asks for more in the background, if needed. */
  of(budget: Budget, account: BudgetAccount, need: Need): Share;
  admitted(account: BudgetAccount): void;
  /** Spend was counted: perhaps without an admission, or more than was reserved for it. */
  counted(budget: Budget, account: BudgetAccount): void;
  /** The budget has become blocking: other nodes wait for what this one has spent, even if it is nothing. */
  report(budget: Budget, account: BudgetAccount): void;
}

/** A node that cannot reach the bank stops admitting after this long: its part may have been given to others. */
const LEASE_MS = 30_000;
const RENEW_EVERY_MS = 10_000;
/** Near the end of a budget the bank is asked again and again: other nodes give back what their calls did not cost. */
const RETRY_MS = 50;
const SPENT_RETRY_MS = 1000;
const FAULT_RETRY_MS = 1000;

interface Parts {
  readonly bank: AllowanceBank;
  /** The bank has answered, or may be asked again: calls that wait for this budget must be checked again. */
  readonly changed: (budget: Budget) => void;
  readonly onFault: (fault: unknown) => void;
  /** Monotonic. */
  readonly uptimeMs: () => number;
}

interface Held {
  budget: Budget;
  account: BudgetAccount;
  grantedMicrocents: Microcents;
  /** The bank's last grant: when half of it is used, more is requested. */
  lastGrantMicrocents: number;
  isLast: boolean;
  isSpent: boolean;
  /** The bank did not answer. */
  isCutOff: boolean;
  isAsking: boolean;
  /** The bank has answered at least once. */
  hasAnswer: boolean;
  /** Other nodes wait for what this one has spent, because the budget has become blocking. */
  isReportDue: boolean;
  /** A request follows in this turn of the event loop… */
  isAboutToAsk: boolean;
  /** …for all calls that wait for it. */
  awaitedMicrocents: Microcents;
  lastRequest: Promise<void> | null;
  validUntilMs: number;
  askAgainAtMs: number;
  usedAtMs: number;
  /** The settled amount that the bank knows. */
  reportedMicrocents: Microcents;
  spentElsewhereMicrocents: Microcents;
}

/**
 * Allowances of shared budgets. A call is admitted from what this node holds, in the same synchronous step as on one
 * machine; the bank is asked in the background, before it runs out. Only the calls at the very end of a budget wait for it.
 */
export class Allowances implements Shares {
  readonly #held = new Map<BudgetAccount, Held>();
  /** By budget and period: an account may be dropped, and read again from the ledger. */
  readonly #byPeriod = new Map<string, Held>();
  readonly #toReport = new Set<Held>();
  #isReporting = false;

  constructor(private readonly parts: Parts) {}

  isSpent(budget: Budget, account: BudgetAccount): boolean {
    const held = this.#held.get(account);
    if (held === undefined || !held.isSpent || held.budget !== budget) return false;
    return held.grantedMicrocents <= settledOf(account);
  }

  /** Refused calls do not keep an allowance from being given back. */
  admitted(account: BudgetAccount): void {
    const held = this.#held.get(account);
    if (held !== undefined) held.usedAtMs = this.parts.uptimeMs();
  }

  of(budget: Budget, account: BudgetAccount, need: Need): Share {
    const nowMs = this.parts.uptimeMs();
    const held = this.#find(budget, account);
    const isValid = nowMs < held.validUntilMs;
    const limitMicrocents = isValid ? Math.min(held.grantedMicrocents, budget.limitMicrocents) : 0;
    // The gateway with the last part admits until it is used up, as on one machine; elsewhere the call has to fit.
    const neededMicrocents = held.isLast ? need.leastMicrocents : need.fittingMicrocents;
    const leftMicrocents = limitMicrocents - usedOf(account);
    if (leftMicrocents < Math.max(neededMicrocents, held.lastGrantMicrocents / 2)) {
      this.#ask(held, need, leftMicrocents < neededMicrocents, nowMs);
    }
    return {
      limitMicrocents: microcents(Math.max(0, limitMicrocents)),
      neededMicrocents,
      isAsked: held.isAsking || held.isAboutToAsk,
      mayGrow: !held.isSpent && !held.isCutOff,
      isSpent: held.isSpent,
      spentElsewhereMicrocents: held.spentElsewhereMicrocents,
    };
  }

  /** Spend beyond the grant is reported to the other nodes immediately, not with the next request. */
  counted(budget: Budget, account: BudgetAccount): void {
    this.#reportIfAbove(this.#find(budget, account));
  }

  /**
   * What was granted and not used is given up: the grant may be older than a time in which the budget did not block, and
   * other nodes have spent without allowances then.
   */
  report(budget: Budget, account: BudgetAccount): void {
    const held = this.#find(budget, account);
    held.isReportDue = true;
    held.grantedMicrocents = microcents(Math.min(held.grantedMicrocents, usedOf(account)));
    this.#reportIfAbove(held);
  }

  /** Renews leases, and gives back what has not been used for a while, until the signal. */
  async run(signal: AbortSignal): Promise<void> {
    await repeatUntil(signal, RENEW_EVERY_MS, () => this.renew(), this.parts.onFault);
  }

  async renew(): Promise<void> {
    const nowMs = this.parts.uptimeMs();
    for (const held of this.#held.values()) {
      const isIdle = nowMs - held.usedAtMs >= RENEW_EVERY_MS;
      const isUnused = held.grantedMicrocents <= usedOf(held.account);
      const isReported = !held.isReportDue && settledOf(held.account) <= held.reportedMicrocents;
      const isOver = isIdle && isUnused && isReported && held.account.reservedMicrocents === 0;
      if (held.isAsking) continue;
      if (isOver) this.#forget(held);
      else await this.#request(held, NOTHING_WANTED, isIdle);
    }
  }

  /** This node stops: others can use what it does not need. */
  async giveBack(): Promise<void> {
    const giveBack = async (held: Held) => {
      // A request in flight could be answered after this one, with a grant that would stay unused.
      await held.lastRequest;
      await this.#request(held, NOTHING_WANTED, true);
    };
    await Promise.all([...this.#held.values()].map(giveBack));
  }

  #find(budget: Budget, account: BudgetAccount): Held {
    const held = this.#held.get(account) ?? this.#begin(budget, account);
    // The budget's object is new after every change of the configuration.
    if (held.budget !== budget) {
      const { limitMicrocents: before } = held.budget;
      held.budget = budget;
      if (budget.limitMicrocents !== before) forgetGrant(held, budget.limitMicrocents < before);
    }
    return held;
  }

  #begin(budget: Budget, account: BudgetAccount): Held {
    const key = periodKey(budget, account);
    const known = this.#byPeriod.get(key);
    const held = known ?? { ...nothingHeld, budget, account, usedAtMs: this.parts.uptimeMs() };
    this.#held.delete(held.account);
    held.account = account;
    this.#held.set(account, held);
    this.#byPeriod.set(key, held);
    return held;
  }

  #forget(held: Held): void {
    this.#held.delete(held.account);
    this.#byPeriod.delete(periodKey(held.budget, held.account));
  }

  /** After an answer all waiting calls are looked at in one turn: the bank is asked once, for all of them. */
  #ask(held: Held, need: Need, isWaiting: boolean, nowMs: number): void {
    if (held.isAsking || nowMs < held.askAgainAtMs) return;
    if (isWaiting) held.awaitedMicrocents = saturated(held.awaitedMicrocents + need.fittingMicrocents);
    if (held.isAboutToAsk) return;
    held.isAboutToAsk = true;
    queueMicrotask(() => {
      const { awaitedMicrocents } = held;
      held.isAboutToAsk = false;
      held.awaitedMicrocents = ZERO_MICROCENTS;
      if (!held.isAsking) void this.#request(held, need, false, awaitedMicrocents);
    });
  }

  #reportIfAbove(held: Held): void {
    const known = Math.max(held.grantedMicrocents, held.reportedMicrocents);
    if (!held.isReportDue && settledOf(held.account) <= known) return;
    this.#toReport.add(held);
    if (!this.#isReporting) void this.#report();
  }

  /** One after another: spend of thousands of budgets may be ingested at once. */
  async #report(): Promise<void> {
    this.#isReporting = true;
    for (const held of this.#toReport) {
      this.#toReport.delete(held);
      // A request in flight checks again when it is answered.
      if (held.isAsking) continue;
      await this.#request(held, NOTHING_WANTED, false);
      // The next renewal reports the rest.
      if (held.isCutOff) this.#toReport.clear();
    }
    this.#isReporting = false;
  }

  #request(
    held: Held,
    wanted: Need,
    returnsUnused: boolean,
    awaitedMicrocents = ZERO_MICROCENTS,
  ): Promise<void> {
    held.lastRequest = this.#exchange(held, wanted, returnsUnused, awaitedMicrocents);
    return held.lastRequest;
  }

  async #exchange(
    held: Held,
    { fittingMicrocents: wantedMicrocents, leastMicrocents }: Need,
    returnsUnused: boolean,
    awaitedMicrocents: Microcents,
  ): Promise<void> {
    const { bank, uptimeMs, changed, onFault } = this.parts;
    const { budget, account } = held;
    const askedAtMs = uptimeMs();
    const before = held.grantedMicrocents;
    const { isReportDue } = held;
    held.isReportDue = false;
    const givesBack = returnsUnused || isReportDue;
    // The last call may have reserved more than was granted, which does not entitle this node to more. But what calls
    // reserved while the budget did not block has to be granted.
    const settled = settledOf(account);
    const reservable = isReportDue || !held.hasAnswer ? Number.MAX_SAFE_INTEGER : before;
    const used = microcents(Math.max(settled, Math.min(reservable, usedOf(account))));
    held.isAsking = true;
    // From now on, not only from the answer, which may get lost: the bank also takes back a part that is too small.
    if (givesBack || before - used < wantedMicrocents) {
      held.grantedMicrocents = microcents(Math.min(before, used));
    }
    // Another node may become the last one before the answer is here.
    held.isLast = false;
    try {
      const { grantedMicrocents, isLast, isSpent, settledElsewhereMicrocents } = await bank.ask({
        orgId: budget.orgId,
        budgetId: budget.id,
        sinceMs: budget.sinceMs,
        period: periodSpan(budget.period, account.startsAtMs).id,
        limitMicrocents: budget.limitMicrocents,
        settledMicrocents: settled,
        usedMicrocents: used,
        wantedMicrocents,
        awaitedMicrocents,
        givesBack,
      });
      held.hasAnswer = true;
      held.grantedMicrocents = grantedMicrocents;
      held.reportedMicrocents = settled;
      held.isLast = isLast;
      held.isSpent = isSpent;
      held.spentElsewhereMicrocents = settledElsewhereMicrocents;
      held.lastGrantMicrocents = Math.max(0, grantedMicrocents - before);
      // Measured from the request: the answer may have taken long.
      held.validUntilMs = askedAtMs + LEASE_MS;
      held.isCutOff = false;
      const leftMicrocents = grantedMicrocents - usedOf(held.account);
      const isRefused = leftMicrocents < (isLast ? leastMicrocents : wantedMicrocents);
      const { limitMicrocents } = held.budget;
      if (limitMicrocents !== budget.limitMicrocents) {
        forgetGrant(held, limitMicrocents < budget.limitMicrocents);
      } else if (isRefused) this.#pause(held, isSpent ? SPENT_RETRY_MS : RETRY_MS);
    } catch (fault) {
      onFault(fault);
      held.isCutOff = true;
      held.isReportDue ||= isReportDue;
      this.#pause(held, FAULT_RETRY_MS);
    } finally {
      held.isAsking = false;
      changed(budget);
      if (!held.isCutOff) this.#reportIfAbove(held);
    }
  }

  /** Waiting calls ask again afterwards. */
  #pause(held: Held, ms: number): void {
    held.askAgainAtMs = this.parts.uptimeMs() + ms;
    setTimeout(() => this.parts.changed(held.budget), ms).unref();
  }
}

const NOTHING_WANTED: Need = { fittingMicrocents: ZERO_MICROCENTS, leastMicrocents: ZERO_MICROCENTS };

const nothingHeld = {
  isCutOff: false,
  grantedMicrocents: ZERO_MICROCENTS,
  lastGrantMicrocents: 0,
  isLast: false,
  isSpent: false,
  isAsking: false,
  hasAnswer: false,
  isReportDue: false,
  isAboutToAsk: false,
  awaitedMicrocents: ZERO_MICROCENTS,
  lastRequest: null,
  validUntilMs: 0,
  askAgainAtMs: 0,
  reportedMicrocents: ZERO_MICROCENTS,
  spentElsewhereMicrocents: ZERO_MICROCENTS,
};

function periodKey({ id }: Budget, { sinceMs, startsAtMs }: BudgetAccount): string {
  return `${id} ${sinceMs} ${startsAtMs}`;
}

/** The bank has answered for another limit. Of a higher one, it may have granted more than the lower one has. */
function forgetGrant(held: Held, isLowered: boolean): void {
  held.isSpent = false;
  held.askAgainAtMs = 0;
  if (!isLowered) return;
  held.grantedMicrocents = microcents(Math.min(held.grantedMicrocents, usedOf(held.account)));
  held.isLast = false;
}

function settledOf({ settledMicrocents, withheldMicrocents }: BudgetAccount): Microcents {
  return saturated(settledMicrocents + withheldMicrocents);
}

function usedOf({ settledMicrocents, withheldMicrocents, reservedMicrocents }: BudgetAccount): Microcents {
  return saturated(settledMicrocents + withheldMicrocents + reservedMicrocents);
}
