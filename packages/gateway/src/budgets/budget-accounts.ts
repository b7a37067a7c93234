import { BudgetAccount, type Spend } from "@tollgate/core/budgets/account";
import type { Budget } from "@tollgate/core/budgets/budget";
import { type PeriodSpan, periodSpan } from "@tollgate/core/budgets/period";

interface SpendSource {
  budgetSpend(budget: Budget, span: PeriodSpan): Spend;
}

/**
 * Deleted budgets leave accounts behind. Beyond this many, accounts without reservations are dropped and read again
 * when needed.
 */
const MAX_BUDGETS = 20_000;
/** The current period, and the one in which calls in flight were admitted. */
const MAX_PERIODS = 2;

/** The accounts that calls count toward, by budget: read from the ledger once, then kept up to date in memory. */
export class BudgetAccounts {
  readonly #accounts = new Map<string, BudgetAccount[]>();

  constructor(private readonly source: SpendSource) {}

  /** null: not opened yet, so only the ledger has it. */
  known(budget: Budget, atMs: number): BudgetAccount | null {
    const accounts = this.#accounts.get(budget.id);
    if (accounts === undefined) return null;
    for (const account of accounts) if (account.covers(budget.sinceMs, atMs)) return account;
    return null;
  }

  open(budget: Budget, atMs: number): BudgetAccount {
    const known = this.known(budget, atMs);
    if (known !== null) return known;
    const span = periodSpan(budget.period, atMs);
    const spend = this.source.budgetSpend(budget, span);
    // Reading the ledger first settles pending events, and a settled call may wake one that opens the same account.
    const opened = this.known(budget, atMs);
    if (opened !== null) return opened;
    const account = new BudgetAccount(budget.sinceMs, span.startsAtMs, span.endsAtMs, spend);
    if (this.#accounts.size >= MAX_BUDGETS) this.#forget();
    const earlier = (this.#accounts.get(budget.id) ?? []).filter(
      (other, position) => position < MAX_PERIODS - 1 || other.reservedMicrocents > 0,
    );
    this.#accounts.set(budget.id, [account, ...earlier]);
    return account;
  }

  /** null: a later period has begun. */
  openUnlessOver(budget: Budget, atMs: number): BudgetAccount | null {
    const accounts = this.#accounts.get(budget.id) ?? [];
    const isOver = accounts.some(
      ({ sinceMs, startsAtMs }) => sinceMs === budget.sinceMs && startsAtMs > atMs,
    );
    return isOver ? this.known(budget, atMs) : this.open(budget, atMs);
  }

  #forget(): void {
    for (const [id, accounts] of this.#accounts) {
      if (accounts.every(({ reservedMicrocents: reserved }) => reserved === 0)) this.#accounts.delete(id);
    }
  }
}
