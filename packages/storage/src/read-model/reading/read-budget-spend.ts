import type { Spend } from "@tollgate/core/budgets/account";
import { microcents } from "@tollgate/core/money/money";
import type { LedgerReader } from "../../ledger/ledger-reader.ts";

/** By budget id; a budget without spend in its period is absent. */
export function readBudgetSpend(
  ledger: LedgerReader,
  budgets: readonly { readonly id: string; readonly since: number; readonly period: string }[],
): Map<string, Spend> {
  const spends = new Map<string, Spend>();
  for (const { id, since, period } of budgets) {
    const row = ledger.budgetSpend(id, since, period);
    if (row === null) continue;
    spends.set(id, {
      settledMicrocents: microcents(row.spent_microcents),
      withheldMicrocents: microcents(row.withheld_microcents),
    });
  }
  return spends;
}
