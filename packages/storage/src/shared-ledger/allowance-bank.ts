import { sql } from "kysely";
import type { ControlDb, ControlTransaction } from "../database/schema.ts";
import { type Allowance, type AllowanceRequest, type BudgetShareKey, grantShare } from "./grant-share.ts";
import { inTurn, MAX_IDLE_MS } from "./in-turn.ts";
import { postgresNowMs } from "./postgres-clock.ts";

export interface AllowanceBank {
  ask(request: AllowanceRequest): Promise<Allowance>;
}

/** The name under which nodes take turns. */
export function turnOf({ orgId, budgetId, sinceMs, period }: BudgetShareKey): (string | number)[] {
  return [orgId, budgetId, sinceMs, period];
}

/**
 * A budget that becomes blocking was spent from without allowances. For this long nothing of it is granted before every node
 * has reported what it has spent. By then a control plane has reported for those that are silent (account-for-silent.ts).
 */
const REPORTS_AWAITED_MS = 30_000;

/**
 * Divides the limits of shared budgets among nodes. The grants of all nodes together never exceed the limit, except by
 * what was already used, so the limit holds as on one machine. A dead node keeps its grant until the period ends or the
 * node is removed: what it spent last may be known only to its own ledger. A node that reports less than before has lost a
 * part of its ledger; the money is spent all the same, so it stays used.
 */
export class PostgresAllowanceBank implements AllowanceBank {
  constructor(
    private readonly db: ControlDb,
    private readonly nodeId: string,
    private readonly maxIdleMs = MAX_IDLE_MS,
    private readonly reportsAwaitedMs = REPORTS_AWAITED_MS,
  ) {}

  /** Nothing is changed after the signal. */
  ask(request: AllowanceRequest, signal?: AbortSignal): Promise<Allowance> {
    const work = async (transaction: ControlTransaction) => {
      const [shares, stored] = await Promise.all([
        transaction
          .selectFrom("budget_shares")
          .select(["node_id", "granted_microcents", "settled_microcents", "lost_microcents", "is_last"])
          .where("org_id", "=", request.orgId)
          .where("budget_id", "=", request.budgetId)
          .where("since", "=", request.sinceMs)
          .where("period", "=", request.period)
          .execute(),
        transaction
          .selectFrom("budgets")
          .select(["limit_microcents", this.#isReportMissing(request).as("isReportMissing")])
          .where("org_id", "=", request.orgId)
          .where("id", "=", request.budgetId)
          .executeTakeFirst(),
      ]);
      const { answer, row } = grantShare(request, shares, this.nodeId, {
        limitMicrocents: stored?.limit_microcents ?? null,
        awaitsReports: stored?.isReportMissing ?? false,
      });
      const stamped = { ...row, asked_at: postgresNowMs, reported_since: request.blockingSinceMs };
      await transaction
        .insertInto("budget_shares")
        .values({
          org_id: request.orgId,
          budget_id: request.budgetId,
          since: request.sinceMs,
          period: request.period,
          node_id: this.nodeId,
          ...stamped,
        })
        .onConflict(conflict =>
          conflict.columns(["org_id", "budget_id", "since", "period", "node_id"]).doUpdateSet(stamped),
        )
        .execute();
      return answer;
    };
    return inTurn(this.db, turnOf(request), this.maxIdleMs, work, signal);
  }

  /** Another node has not reported since it knows that the budget is blocking. */
  #isReportMissing({ sinceMs, period }: BudgetShareKey) {
    return sql<boolean>`EXISTS (
      SELECT 1 FROM blocking_budgets JOIN nodes ON nodes.removed_at IS NULL AND nodes.id <> ${this.nodeId}
      WHERE blocking_budgets.org_id = budgets.org_id AND blocking_budgets.budget_id = budgets.id
        AND blocking_budgets.blocking_since > ${postgresNowMs} - ${sql.lit(this.reportsAwaitedMs)}
        AND NOT EXISTS (
          SELECT 1 FROM budget_shares
          WHERE budget_shares.org_id = budgets.org_id AND budget_shares.budget_id = budgets.id
            AND budget_shares.since = ${sinceMs} AND budget_shares.period = ${period}
            AND budget_shares.node_id = nodes.id AND budget_shares.reported_since = blocking_budgets.blocking_since))`;
  }
}
