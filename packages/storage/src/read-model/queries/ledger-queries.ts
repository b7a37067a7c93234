import type { Spend } from "@tollgate/core/budgets/account";

/** The ledger's own numbers, and how far the read model has followed it. */
export interface LedgerQueries {
  /** Spend by budget id, as the gateway recorded it with the events; absent for a budget without calls. */
  budgetSpend(
    budgets: readonly { readonly id: string; readonly since: number; readonly period: string }[],
  ): Promise<ReadonlyMap<string, Spend>>;
  /** Calls that count toward the tier's limit, in a UTC month such as 2026-11. */
  monthlyCalls(orgId: string, month: string): Promise<number>;
  /** The ledger's newest seq; 0 if there is no event yet. */
  newestSeq(): Promise<number>;
  /** How many events the follower is behind the ledger. */
  lag(): Promise<number>;
  /** Up to when the results are complete: `now`, or the time of the last processed event. */
  followedUntil(now: number): Promise<number>;
}
