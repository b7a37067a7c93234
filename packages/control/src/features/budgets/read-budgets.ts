import { countedAt } from "@tollgate/core/budgets/budget";
import { type PeriodSpan, periodSpan } from "@tollgate/core/budgets/period";
import { fromRow } from "@tollgate/storage/database/from-row";
import type { TableRow } from "@tollgate/storage/database/schema";
import { inScope } from "@tollgate/storage/ledger/in-scope";
import type { CallsOf } from "@tollgate/storage/read-model/queries/usage-queries";
import type { Window } from "@tollgate/storage/read-model/window";
import type { Context } from "../../kernel/context.ts";

export type BudgetRow = TableRow<"budgets">;

/** Whose calls count. */
export function callsOf({
  agent_id: agentId,
  key_id: keyId,
  customer_id: customerId,
}: Pick<BudgetRow, "agent_id" | "key_id" | "customer_id">): CallsOf {
  if (agentId !== null) return { agentId };
  if (keyId !== null) return { keyId };
  return customerId === null ? {} : { customerId };
}

/** null: not an agent's budget. */
export function agentOf({ agent_id: id, agent_key: agentKey }: Pick<BudgetRow, "agent_id" | "agent_key">) {
  return id === null || agentKey === null ? null : { id, agentKey };
}

export interface BudgetState {
  readonly row: BudgetRow;
  readonly span: PeriodSpan;
  /** As the gateway counts it. */
  readonly spent: number;
  /** What a strict budget withholds for calls whose true cost is not certain. */
  readonly withheld: number;
  /** Calls that count towards it and whose cost is unknown. */
  readonly unpricedCalls: number;
}

/** All budgets of the organization, oldest first, with the gateway's count for each. */
export async function listBudgets(
  context: Pick<Context, "db" | "scope" | "readModel" | "now">,
): Promise<BudgetState[]> {
  const rows = await context.db
    .selectFrom("budgets")
    .selectAll()
    .where(inScope(context.scope))
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  return await withSpending(
    context,
    rows.map(row => fromRow("budgets", row)),
  );
}

export async function withSpending(
  context: Pick<Context, "scope" | "readModel" | "now">,
  rows: readonly BudgetRow[],
): Promise<BudgetState[]> {
  const at = context.now();
  const spans = rows.map(row => ({ row, span: spanOf(row, at) }));
  const spent = await context.readModel.budgetSpend(
    spans.map(({ row, span }) => ({ id: row.id, since: row.since, period: span.id })),
  );
  const unpriced = await unpricedOf(context, spans);
  return spans.map(({ row, span }, index) => ({
    row,
    span,
    spent: spent.get(row.id)?.settledMicrocents ?? 0,
    withheld: spent.get(row.id)?.withheldMicrocents ?? 0,
    unpricedCalls: unpriced[index] ?? 0,
  }));
}

/** Unpriced calls per budget; empty: none. Most organizations have no unpriced call, and then no budget is queried. */
async function unpricedOf(
  { readModel, scope }: Pick<Context, "scope" | "readModel">,
  spans: readonly { readonly row: BudgetRow; readonly span: PeriodSpan }[],
): Promise<readonly number[]> {
  if (spans.length === 0) return [];
  const all = await readModel.unpricedCalls(scope, {
    from: Math.min(...spans.map(({ span }) => span.startsAtMs)),
    to: Math.max(...spans.map(({ span }) => span.endsAtMs)),
  });
  if (all === 0) return [];
  return Promise.all(
    spans.map(({ row, span }) => readModel.unpricedCalls(scope, countedWindow(row, span), callsOf(row))),
  );
}

/** The part of a period that counts: a budget counts from its creation or last reset. */
export function countedWindow(row: Pick<BudgetRow, "since">, span: PeriodSpan): Window {
  return { from: Math.max(span.startsAtMs, row.since), to: span.endsAtMs };
}

function spanOf(row: BudgetRow, at: number): PeriodSpan {
  return periodSpan(row.period, countedAt({ sinceMs: row.since }, at));
}
