import type { BudgetAccount } from "@tollgate/core/budgets/account";
import type { Budget } from "@tollgate/core/budgets/budget";
import { TollgateError } from "@tollgate/core/errors";

export type BlockReason =
  | "spent" // until the next period
  | "reserved" // by calls in flight, which may cost less
  | "elsewhere" // granted to other gateways, which may give it back
  | "unpriced"; // the budget cannot count the call's cost

/** Names its budget to the gateway; the body does not. */
export class BudgetExceeded extends TollgateError {
  constructor(
    readonly budgetId: string,
    sentence: string,
    fields: Readonly<Record<string, unknown>>,
  ) {
    super("budget_exceeded", sentence, fields);
  }
}

/** Retry delay if only calls in flight block. Most end within seconds and release their unused reservation. */
const RESERVATIONS_RETRY_MS = 5000;

/** The earliest time, in epoch milliseconds, at which a call may be admitted. */
export function retryAt({ endsAtMs }: BudgetAccount, nowMs: number, reason: BlockReason): number {
  return reason === "reserved" || reason === "elsewhere"
    ? Math.min(nowMs + RESERVATIONS_RETRY_MS, endsAtMs)
    : endsAtMs;
}

/**
 * The spec's 429. Amounts are microcents; reservations are not spending. There is no `Retry-After`: clients obey it
 * silently and would sleep until the next period.
 */
export function budgetExceeded(
  budget: Budget,
  account: BudgetAccount,
  nowMs: number,
  reason: BlockReason,
): TollgateError {
  return refused(budget, account, sentenceOf(budget, account, reason), retryAt(account, nowMs, reason));
}

/** The same body, although this call would be refused in any period. */
export function notBounded(budget: Budget, account: BudgetAccount, sentence: string): TollgateError {
  return refused(budget, account, sentence, account.endsAtMs);
}

function refused(budget: Budget, account: BudgetAccount, sentence: string, retry: number): TollgateError {
  return new BudgetExceeded(budget.id, sentence, {
    limit: budget.limitMicrocents,
    current_spending: account.settledMicrocents,
    retry_at: new Date(retry).toISOString(),
  });
}

function sentenceOf(budget: Budget, account: BudgetAccount, reason: BlockReason): string {
  const name = `the ${budget.period} budget of ${budget.limitMicrocents} microcents`;
  switch (reason) {
    case "unpriced":
      return "a hard_block budget cannot count a model without a price: add one to SVC_PRICES_FILE, or set allow_unpriced on the budget";
    case "reserved":
      return `what is left of ${name} is reserved for calls in flight`;
    case "elsewhere":
      return `what is left of ${name} is held by other gateways, or PostgreSQL cannot be reached`;
    case "spent":
      if (account.settledMicrocents >= budget.limitMicrocents) return `${name} is spent`;
      return account.withheldMicrocents > 0
        ? `what is left of ${name} does not cover this call; ${account.withheldMicrocents} are withheld for calls whose cost is only estimated`
        : `what is left of ${name} does not cover this call`;
  }
}
