import type { BudgetAccount } from "@tollgate/core/budgets/account";
import type { Budget } from "@tollgate/core/budgets/budget";
import { TollgateError } from "@tollgate/core/errors";
import { type Microcents, saturated } from "@tollgate/core/money/money";
import type { Share } from "./shares.ts";

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

interface Refusing {
  readonly budget: Budget;
  readonly account: BudgetAccount;
  /** null: no other gateway spends from it. */
  readonly share: Pick<Share, "spentElsewhereMicrocents"> | null;
}

/**
 * The spec's 429. Amounts are microcents; reservations are not spending. There is no `Retry-After`: clients obey it
 * silently and would sleep until the next period.
 */
export function budgetExceeded(refusing: Refusing, nowMs: number, reason: BlockReason): TollgateError {
  return refused(refusing, sentenceOf(refusing, reason), retryAt(refusing.account, nowMs, reason));
}

/** The same body, although this call would be refused in any period. */
export function notBounded(refusing: Refusing, sentence: string): TollgateError {
  return refused(refusing, sentence, refusing.account.endsAtMs);
}

function refused(refusing: Refusing, sentence: string, retry: number): TollgateError {
  const { budget } = refusing;
  return new BudgetExceeded(budget.id, sentence, {
    limit: budget.limitMicrocents,
    current_spending: spentOf(refusing),
    retry_at: new Date(retry).toISOString(),
  });
}

/**
 * By all gateways, as far as is known here: a refusal does not wait for another machine. The others report what they have
 * spent and what they withhold as one sum, so that part is too high by what they withhold.
 */
function spentOf({ account, share }: Refusing): Microcents {
  return saturated(account.settledMicrocents + (share?.spentElsewhereMicrocents ?? 0));
}

function sentenceOf(refusing: Refusing, reason: BlockReason): string {
  const { budget, account } = refusing;
  const name = `the ${budget.period} budget of ${budget.limitMicrocents} microcents`;
  switch (reason) {
    case "unpriced":
      return "a hard_block budget cannot count a model without a price: add one to SVC_PRICES_FILE, or set allow_unpriced on the budget";
    case "reserved":
      return `what is left of ${name} is reserved for calls in flight`;
    case "elsewhere":
      return `what is left of ${name} is held by other gateways (by a dead one until \`svc nodes remove\`), or PostgreSQL cannot be reached`;
    case "spent":
      if (spentOf(refusing) >= budget.limitMicrocents) return `${name} is spent`;
      return account.withheldMicrocents > 0
        ? `what is left of ${name} does not cover this call; ${account.withheldMicrocents} are withheld for calls whose cost is only estimated`
        : `what is left of ${name} does not cover this call`;
  }
}
