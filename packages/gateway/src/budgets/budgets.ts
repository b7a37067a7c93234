import type { BudgetAccount } from "@tollgate/core/budgets/account";
import { appliesTo, type Budget, countedAt, countsToward, isBlocking } from "@tollgate/core/budgets/budget";
import { estimateCost } from "@tollgate/core/budgets/estimate";
import { type Expectation, NOTHING_EXPECTED, sure } from "@tollgate/core/budgets/expectation";
import { earlyFlag, overLimitFlag, withheldBy } from "@tollgate/core/budgets/flags";
import type { Event, Mode } from "@tollgate/core/event";
import { maxOutputTokens } from "@tollgate/core/models/max-output";
import { type Microcents, ZERO_MICROCENTS } from "@tollgate/core/money/money";
import type { Catalogue } from "@tollgate/core/pricing/catalogue";
import { promptTokens } from "@tollgate/core/pricing/prompt-size";
import type { RateCard } from "@tollgate/core/pricing/rates";
import { listPrice } from "@tollgate/providers/meter";
import type { BudgetSource } from "@tollgate/storage/ledger/budget-spend";
import type { Ledger } from "@tollgate/storage/ledger/ledger";
import type { Metrics } from "../metrics.ts";
import type { Identified, Routed } from "../request/routed.ts";
import { AnswerLengths } from "./answer-lengths.ts";
import { askForShares } from "./ask-for-shares.ts";
import { BudgetAccounts } from "./budget-accounts.ts";
import { type ApplicableBudget, decideAdmission, isStrict, limitOf } from "./decide-admission.ts";
import { HeadroomQueue, type Patience } from "./headroom-queue.ts";
import type { Hold, Reservation, Reserved, StrictHold } from "./hold.ts";
import type { Shares } from "./shares.ts";
import { StrictPlan } from "./strict-plan.ts";

/** How long a call waits for other calls' reservations to be released. */
export const BUDGET_PATIENCE_MS = 250;
/** The same on several machines: reservations elsewhere become known only from one answer of the bank to the next. */
const SHARED_PATIENCE_MS = 1000;
/** How much longer it waits while the bank goes on answering: a herd may need many answers. */
const MAX_ANSWERS_MS = 3000;

const UNBUDGETED: Reserved = { kind: "unbudgeted" };
const WAIT: Reserved = { kind: "wait" };

/**
 * Enforces budgets. A call is admitted while settled + reserved is below the limit of every budget that it counts
 * toward, and reserves its estimate on all of them. Checking and reserving is one synchronous step, so a thousand
 * concurrent calls cannot all take the last cent. A cost counts from the moment its event is created.
 */
export class Budgets {
  readonly #accounts: BudgetAccounts;
  readonly #lengths: AnswerLengths;
  readonly #plans = new WeakMap<Routed, StrictPlan>();
  readonly #waiting: HeadroomQueue;
  /** Shared budgets with new spend, and no open account. */
  #toOpen: {
    readonly budget: Budget;
    readonly atMs: number;
    readonly report: (account: BudgetAccount) => void;
  }[] = [];

  constructor(
    private readonly source: BudgetSource,
    ledger: Pick<Ledger, "budgetSpend" | "recentAnswers">,
    private readonly prices: { of(orgId: string): Catalogue },
    private readonly metrics: Metrics,
    patienceMs: number | null = null,
    /** null: no other gateway uses the same budgets. */
    private readonly shares: Shares | null = null,
  ) {
    const usualPatienceMs = shares === null ? BUDGET_PATIENCE_MS : SHARED_PATIENCE_MS;
    this.#waiting = new HeadroomQueue(patienceMs ?? usualPatienceMs, MAX_ANSWERS_MS);
    this.#accounts = new BudgetAccounts(ledger);
    this.#lengths = new AnswerLengths(ledger);
  }

  /**
   * "wait": only other calls' reservations use up the headroom (see `waitForHeadroom`). Throws 429 for a budget that is
   * spent; for a call that is no longer patient, also for one whose headroom is merely reserved.
   */
  reserve(identified: Identified, routed: Routed, atMs: number, patience: Patience): Reserved {
    const { caller } = identified;
    const budgets = this.source.budgetsOf(caller.orgId, caller.mode, identified.pair !== null);
    if (budgets.length === 0) return UNBUDGETED;
    const applicable = this.#applicableBudgets(budgets, identified, atMs);
    if (applicable.length === 0) return UNBUDGETED;
    const strict = applicable.some(isStrict) ? this.#plan(caller.orgId, routed, atMs) : null;
    const card = this.prices
      .of(caller.orgId)
      .card(routed.provider.id, routed.model, new Date(atMs), 0, listPrice);
    // Shares need an estimate before the decision; without them, only admitted calls need one.
    let usual: Expectation | null = null;
    if (this.shares !== null) {
      usual = this.#estimate(identified, routed, null, card);
      askForShares(this.shares, applicable, usual, strict, card !== null);
    }
    if (decideAdmission(applicable, strict, card !== null, atMs, patience) === "wait") return WAIT;
    for (const { account, share } of applicable) if (share !== null) this.shares?.admitted(account);
    const hold = strict === null ? null : strict.hold(leftOf(applicable));
    const expected = (hold === null ? usual : null) ?? this.#estimate(identified, routed, hold, card);
    return reserveFrom(applicable, expected, hold, atMs);
  }

  /** Headroom may have changed without a call. */
  wake({ orgId, mode }: Pick<Budget, "orgId" | "mode">): void {
    this.#waiting.wake(orgId, mode);
  }

  /** Retries whenever a call ends, for at most `patienceMs`, or until the bank has answered. */
  async waitForHeadroom<Slot>(
    { caller, agentKey, customerId, pair }: Identified,
    tryAgain: (patience: Patience) => Slot | null,
  ): Promise<Slot> {
    const group = JSON.stringify([agentKey, caller.keyId, customerId, pair?.mark.request_id]);
    try {
      const slot = await this.#waiting.wait({ orgId: caller.orgId, mode: caller.mode, group }, tryAgain);
      this.metrics.budgetWait("admitted");
      return slot;
    } catch (refusal) {
      this.metrics.budgetWait("refused");
      throw refusal;
    }
  }

  /** The call has settled as this event. */
  conclude(event: Event, hold: Hold | null): void {
    if (hold !== null) {
      release(hold);
      this.#lengths.learn(event);
    }
    this.count(event);
  }

  /** The call was not made, or has no event. */
  release(org: { readonly orgId: string; readonly mode: Mode }, hold: Hold | null): void {
    if (hold === null) return;
    release(hold);
    this.#waiting.wake(org.orgId, org.mode);
  }

  /** Counts an event of any source. Budgets without an open account are read from the ledger when needed. */
  count(event: Event): void {
    const budgets = this.source.budgetsOf(event.org_id, event.mode, event.pair !== null);
    if (budgets.length === 0) return;
    for (const budget of budgets) {
      if (!countsToward(budget, event)) continue;
      const atMs = countedAt(budget, event.created_at);
      const account = this.#accounts.known(budget, atMs);
      const shares = isBlocking(budget) ? this.shares : null;
      if (account === null) {
        if (shares !== null) this.#reportLater(budget, atMs, account => shares.counted(budget, account));
        continue;
      }
      account.settle(event.cost_microcents);
      if (event.budget_flags !== null) account.withhold(withheldBy(event.budget_flags, budget));
      shares?.counted(budget, account);
    }
    this.#waiting.wake(event.org_id, event.mode);
  }

  /** The budget may have become blocking, or a shared one's other gateways may not know what this one has spent. */
  reportSpend(budget: Budget, nowMs: number): void {
    const { shares } = this;
    if (shares === null) return;
    this.#reportLater(budget, countedAt(budget, nowMs), account => shares.report(budget, account));
  }

  /** Other gateways must learn of spend on budgets for which no call here has asked for an allowance. */
  #reportLater(budget: Budget, atMs: number, report: (account: BudgetAccount) => void): void {
    this.#toOpen.push({ budget, atMs, report });
    if (this.#toOpen.length > 1) return;
    // Later: events that are written together with this one are in the ledger already, and are counted after it. An
    // account that was opened now would count them twice.
    queueMicrotask(() => {
      const toOpen = this.#toOpen;
      this.#toOpen = [];
      for (const one of toOpen) {
        const account = this.#accounts.openUnlessOver(one.budget, one.atMs);
        if (account !== null) one.report(account);
      }
    });
  }

  #applicableBudgets(
    budgets: readonly Budget[],
    { agentKey, caller, customerId, pair }: Identified,
    atMs: number,
  ): ApplicableBudget[] {
    const applicable: ApplicableBudget[] = [];
    const keyId = pair === null ? caller.keyId : null;
    const verificationId = pair === null ? null : pair.mark.request_id;
    for (const budget of budgets) {
      if (!appliesTo(budget, agentKey, keyId, customerId, verificationId)) continue;
      applicable.push({ budget, account: this.#accounts.open(budget, countedAt(budget, atMs)), share: null });
    }
    return applicable;
  }

  /** Created once per call, although a waiting call is checked repeatedly. */
  #plan(orgId: string, routed: Routed, atMs: number): StrictPlan {
    let plan = this.#plans.get(routed);
    if (plan === undefined) {
      plan = new StrictPlan(routed, this.prices.of(orgId), atMs);
      this.#plans.set(routed, plan);
    }
    return plan;
  }

  /** A model without a price has no estimate, so nothing is reserved for it. */
  #estimate(
    { caller, agentKey }: Identified,
    { provider, model, exchange, summary }: Routed,
    strict: StrictHold | null,
    card: RateCard | null,
  ): Expectation {
    if (card === null) return NOTHING_EXPECTED;
    return estimateCost(
      {
        prompt: promptTokens(exchange.prompt, provider.id, model, this.prices.of(caller.orgId)),
        maxOutputTokens: strict?.outputTokens ?? summary.maxOutputTokens,
        choices: summary.choices,
        longestAnswer: maxOutputTokens(provider.id, model),
        learnedOutput: this.#lengths.usual(caller.orgId, caller.mode, agentKey, model),
      },
      card,
    );
  }
}

/** The headroom that the call takes of each of its budgets, and what its event says about them. */
function reserveFrom(
  applicable: readonly ApplicableBudget[],
  estimate: Expectation,
  strict: StrictHold | null,
  atMs: number,
): Hold {
  const reservations: Reservation[] = [];
  let flags: string[] | null = null;
  let warning: string | null = null;
  for (const { budget, account } of applicable) {
    if (
      budget.enforcement !== "hard_block" &&
      !budget.isPaused &&
      account.settledMicrocents >= budget.limitMicrocents
    ) {
      flags ??= [];
      flags.push(overLimitFlag(budget.enforcement, budget.id));
      if (budget.enforcement === "soft_block") {
        const reached = `budget ${budget.id} has reached its limit`;
        warning = warning === null ? reached : `${warning}; ${reached}`;
      }
    }
    if (atMs < budget.sinceMs) {
      flags ??= [];
      flags.push(earlyFlag(budget));
    }
    const expected = strict !== null && budget.isStrict ? sure(strict.worstMicrocents) : estimate;
    account.reserve(expected);
    reservations.push({ budget, account, expected });
  }
  return { kind: "held", reservations, flags, warning, strict, isOpen: true };
}

function leftOf(applicable: readonly ApplicableBudget[]): Microcents {
  let left: Microcents | null = null;
  for (const one of applicable) {
    if (!isStrict(one)) continue;
    const own = one.account.headroomMicrocents(limitOf(one));
    if (left === null || own < left) left = own;
  }
  return left ?? ZERO_MICROCENTS;
}

function release(hold: Hold): void {
  if (!hold.isOpen) return;
  hold.isOpen = false;
  for (const { account, expected } of hold.reservations) account.release(expected);
}
