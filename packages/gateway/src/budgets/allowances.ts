import type { BudgetAccount } from "@tollgate/core/budgets/account";
import type { Budget } from "@tollgate/core/budgets/budget";
import { repeatUntil } from "@tollgate/storage/following/repeat-until";
import type { AllowanceBank } from "@tollgate/storage/shared-ledger/allowance-bank";
import { Allowance, type Purpose, RENEW_EVERY_MS } from "./allowance.ts";
import type { Need, Share, Shares } from "./shares.ts";

interface Parts {
  readonly bank: AllowanceBank;
  /** The bank has answered, or may be asked again: calls that wait for this budget must be checked again. */
  readonly changed: (budget: Budget) => void;
  readonly onFault: (fault: unknown) => void;
  /** Monotonic. */
  readonly uptimeMs: () => number;
}

/**
 * Allowances of shared budgets. A call is admitted from what this node holds, in the same synchronous step as on one
 * machine; the bank is asked in the background, before it runs out. Only the calls at the very end of a budget wait for it.
 */
export class Allowances implements Shares {
  readonly #held = new Map<BudgetAccount, Allowance>();
  /** By budget and period: an account may be dropped, and read again from the ledger. */
  readonly #byPeriod = new Map<string, Allowance>();
  readonly #toReport = new Set<Allowance>();
  #isReporting = false;

  constructor(private readonly parts: Parts) {}

  isSpent(budget: Budget, account: BudgetAccount): boolean {
    return this.#held.get(account)?.isSpent(budget) === true;
  }

  admitted(account: BudgetAccount): void {
    this.#held.get(account)?.admitted(this.parts.uptimeMs());
  }

  of(budget: Budget, account: BudgetAccount, need: Need): Share {
    const nowMs = this.parts.uptimeMs();
    const allowance = this.#find(budget, account);
    if (allowance.requestFor(need, nowMs)) this.#requestSoon(allowance);
    return allowance.share(need, nowMs);
  }

  counted(budget: Budget, account: BudgetAccount): void {
    this.#reportIfNeeded(this.#find(budget, account));
  }

  report(budget: Budget, account: BudgetAccount): void {
    const allowance = this.#find(budget, account);
    allowance.requireReport();
    this.#reportIfNeeded(allowance);
  }

  /** Renews leases, and gives back what has not been used for a while, until the signal. */
  async run(signal: AbortSignal): Promise<void> {
    await repeatUntil(signal, RENEW_EVERY_MS, () => this.renew(), this.parts.onFault);
  }

  async renew(): Promise<void> {
    const nowMs = this.parts.uptimeMs();
    for (const [account, allowance] of this.#held) {
      const upkeep = allowance.upkeep(nowMs);
      if (upkeep === "end") {
        this.#held.delete(account);
        this.#byPeriod.delete(allowance.key);
      } else if (upkeep !== "none") await this.#request(allowance, upkeep);
    }
  }

  /** This node stops: others can use what it does not need. */
  async giveBack(): Promise<void> {
    const giveBack = async (allowance: Allowance) => {
      // A request in flight could be answered after this one, with a grant that would stay unused.
      while (allowance.underWay !== null) await allowance.underWay;
      await this.#request(allowance, "return");
    };
    await Promise.all([...this.#held.values()].map(giveBack));
  }

  #find(budget: Budget, account: BudgetAccount): Allowance {
    const allowance = this.#held.get(account) ?? this.#begin(budget, account);
    allowance.follow(budget);
    return allowance;
  }

  #begin(budget: Budget, account: BudgetAccount): Allowance {
    const key = `${budget.id} ${account.sinceMs} ${account.startsAtMs}`;
    const known = this.#byPeriod.get(key);
    if (known !== undefined) this.#held.delete(known.moveTo(account));
    const allowance = known ?? new Allowance(key, budget, account, this.parts.uptimeMs());
    this.#held.set(account, allowance);
    this.#byPeriod.set(key, allowance);
    return allowance;
  }

  #requestSoon(allowance: Allowance): void {
    queueMicrotask(() => {
      // A renewal may have been sent first; its answer wakes the waiting calls, and they ask again.
      if (allowance.due !== null) void this.#request(allowance, allowance.due);
    });
  }

  #reportIfNeeded(allowance: Allowance): void {
    if (!allowance.mustReport) return;
    this.#toReport.add(allowance);
    if (!this.#isReporting) void this.#report();
  }

  /** One after another: spend of thousands of budgets may be ingested at once. */
  async #report(): Promise<void> {
    this.#isReporting = true;
    for (const allowance of this.#toReport) {
      this.#toReport.delete(allowance);
      // A request in flight checks again when it is answered.
      if (allowance.underWay !== null) continue;
      await this.#request(allowance, "renewal");
      // The next renewal reports the rest.
      if (allowance.isCutOff) this.#toReport.clear();
    }
    this.#isReporting = false;
  }

  async #request(allowance: Allowance, purpose: Purpose): Promise<void> {
    const { bank, uptimeMs, changed, onFault } = this.parts;
    const answer = await bank.ask(allowance.ask(purpose, uptimeMs())).catch(fault => {
      onFault(fault);
      return null;
    });
    const pauseMs =
      answer === null ? allowance.unanswered(uptimeMs()) : allowance.answered(answer, uptimeMs());
    // Waiting calls ask again afterwards.
    if (pauseMs > 0) setTimeout(() => changed(allowance.budget), pauseMs).unref();
    changed(allowance.budget);
    if (!allowance.isCutOff) this.#reportIfNeeded(allowance);
  }
}
