import { countedAt } from "@tollgate/core/budget";
import { budgetPeriods, type PeriodSpan, periodSpan } from "@tollgate/core/budget-period";
import type { ControlSchema } from "@tollgate/storage/control/schema";
import type { Selectable } from "kysely";
import type { Context } from "../context.ts";

export type BudgetRow = Selectable<ControlSchema["budgets"]>;

export interface BudgetState {
  readonly row: BudgetRow;
  readonly span: PeriodSpan;
  /** As the gateway counts it. */
  readonly spent: number;
  /** What a strict budget keeps back. */
  readonly withheld: number;
}

/** All budgets of the organization, oldest first, with what the gateway has counted for each. */
export async function listBudgets(
  context: Pick<Context, "db" | "scope" | "readModel" | "now">,
): Promise<BudgetState[]> {
  const rows = await context.db
    .selectFrom("budgets")
    .selectAll()
    .where("org_id", "=", context.scope.orgId)
    .where("mode", "=", context.scope.mode)
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  return await withSpending(context, rows);
}

export async function withSpending(
  { readModel, now }: Pick<Context, "readModel" | "now">,
  rows: readonly BudgetRow[],
): Promise<BudgetState[]> {
  const at = now();
  const spans = rows.map(row => ({ row, span: spanOf(row, at) }));
  const spent = await readModel.budgetSpend(
    spans.map(({ row, span }) => ({ id: row.id, since: row.since, period: span.id })),
  );
  return spans.map(({ row, span }) => ({
    row,
    span,
    spent: spent.get(row.id)?.settled ?? 0,
    withheld: spent.get(row.id)?.withheld ?? 0,
  }));
}

function spanOf(row: BudgetRow, at: number): PeriodSpan {
  const period = budgetPeriods.find(known => known === row.period) ?? "monthly";
  return periodSpan(period, countedAt(row, at));
}
