import { daysRemaining, percentageUsed } from "@tollgate/core/budgets/percentage-used";
import type { budgetOperations } from "@tollgate/core/contract/budgets";
import { toIsoTime } from "@tollgate/core/contract/fields/iso-time";
import type { ActuationChange } from "@tollgate/core/decisions/vocabulary";
import { fail } from "@tollgate/core/errors";
import { startOfMonth, startOfNextMonth } from "@tollgate/core/time/month";
import { fromRow } from "@tollgate/storage/database/from-row";
import type { ControlTransaction } from "@tollgate/storage/database/schema";
import { inScope } from "@tollgate/storage/ledger/in-scope";
import type { Context } from "../../kernel/context.ts";
import { countAlerts } from "../../kernel/count-alerts.ts";
import type { Handler, Handlers } from "../../kernel/handler.ts";
import { notFound } from "../../kernel/not-found.ts";
import { causeOf } from "../actuations/cause-of.ts";
import { recordActuation } from "../actuations/record-actuation.ts";
import { refuseSeveral } from "./budget-subject.ts";
import { budgetsCreate } from "./create.ts";
import { agentOf, type BudgetRow, type BudgetState, listBudgets, withSpending } from "./read-budgets.ts";
import { toBudget } from "./to-budget.ts";

const update: Handler<"budgets.update"> = async (context, input) => {
  const { id, limit_microcents, warning_pct, enforcement_mode, strict, allow_unpriced, paused } = input;
  await findBudget(context, id);
  await write(context, id, {
    ...(limit_microcents === undefined ? {} : { limit_microcents }),
    ...(warning_pct === undefined ? {} : { warning_pct, warning_is_default: 0 }),
    ...(enforcement_mode === undefined ? {} : { enforcement_mode }),
    ...(strict === undefined ? {} : { strict: strict ? 1 : 0 }),
    ...(allow_unpriced === undefined ? {} : { allow_unpriced: allow_unpriced ? 1 : 0 }),
    ...(paused === undefined ? {} : { status: paused ? "paused" : "active" }),
  });
  return toBudget(await findBudget(context, id));
};

export const budgetHandlers: Handlers<typeof budgetOperations> = {
  "budgets.create": budgetsCreate,

  "budgets.delete": async (context, { id }) => {
    await context.db.transaction().execute(async transaction => {
      const row = await transaction
        .deleteFrom("budgets")
        .where(inScope(context.scope))
        .where("id", "=", id)
        .returning(["id", "agent_id", "agent_key"])
        .executeTakeFirst();
      if (row === undefined) throw notFound("budget");
      await record(transaction, context, row, "delete");
    });
  },

  "budgets.get": async (context, { id }) => toBudget(await findBudget(context, id)),

  "budgets.list": async context => ({
    budgets: (await listBudgets(context)).map(toBudget),
  }),

  "budgets.resume": async (context, { id, reset_spending: reset }) => {
    const { row } = await findBudget(context, id);
    if (row.status !== "paused") throw fail("invalid_request", "This budget is not paused");
    await write(context, id, {
      status: "active",
      // Spend is counted from `since`: advancing it is the reset, and the gateway sees it like any other edit.
      ...(reset ? { since: Math.max(context.now(), row.since + 1) } : {}),
    });
    const resumed = await findBudget(context, id);
    return {
      id,
      status: resumed.row.status,
      current_spending_microcents: resumed.spent,
      unpriced_calls: resumed.unpricedCalls,
      resets_at: toIsoTime(resumed.span.endsAtMs),
    };
  },

  "budgets.set": async (context, input) => {
    const { agent_id, key_id, customer_id, period, ...said } = input;
    refuseSeveral(input);
    // The oldest: only `budgets.create` makes a second one of the same scope and period.
    const existing = await context.db
      .selectFrom("budgets")
      .select("id")
      .where(inScope(context.scope))
      .where("period", "=", period)
      .where("agent_id", agent_id === undefined ? "is" : "=", agent_id ?? null)
      .where("key_id", key_id === undefined ? "is" : "=", key_id ?? null)
      .where("customer_id", customer_id === undefined ? "is" : "=", customer_id ?? null)
      .orderBy("created_at")
      .orderBy("id")
      .limit(1)
      .executeTakeFirst();
    return existing === undefined
      ? {
          created: true,
          budget: await budgetsCreate(context, {
            ...input,
            warning_pct: input.warning_pct ?? 80,
            enforcement_mode: input.enforcement_mode ?? "alert_only",
            strict: false,
            allow_unpriced: false,
          }),
        }
      : { created: false, budget: await update(context, { id: existing.id, ...said }) };
  },

  "budgets.status": async context => {
    const now = context.now();
    const month = { from: startOfMonth(now), to: startOfNextMonth(now) };
    const [budgets, usage, alerts] = await Promise.all([
      listBudgets(context),
      context.readModel.usage(context.scope, month),
      countAlerts(context, month),
    ]);
    return {
      organization_id: context.organization.id,
      total_spending_microcents: usage.totals.cost_microcents,
      unpriced_calls: usage.totals.unpriced_calls,
      budgets: budgets.map(({ row, span, spent, unpricedCalls }) => ({
        id: row.id,
        limit_microcents: row.limit_microcents,
        current_spending_microcents: spent,
        unpriced_calls: unpricedCalls,
        percentage_used: percentageUsed(spent, row.limit_microcents),
        enforcement_mode: row.enforcement_mode,
        status: row.status,
        days_remaining: daysRemaining(span.endsAtMs, now),
        resets_at: toIsoTime(span.endsAtMs),
        period: row.period,
        agent_id: row.agent_id,
        key_id: row.key_id,
        customer_id: row.customer_id,
      })),
      alerts_triggered: alerts.triggered,
    };
  },

  "budgets.update": update,
};

async function write(context: Context, id: string, change: Partial<BudgetRow>): Promise<void> {
  await context.db.transaction().execute(async transaction => {
    const row = await transaction
      .updateTable("budgets")
      .set({ ...change, updated_at: context.now() })
      .where(inScope(context.scope))
      .where("id", "=", id)
      .returning(["id", "agent_id", "agent_key"])
      .executeTakeFirst();
    if (row === undefined || !obeyedFields.some(field => field in change)) return;
    await record(transaction, context, row, changeNamed(change));
  });
}

/** The gateway obeys these; a warning threshold only decides when an alert is raised. */
const obeyedFields = [
  "limit_microcents",
  "enforcement_mode",
  "strict",
  "allow_unpriced",
  "status",
  "since",
] as const satisfies readonly (keyof BudgetRow)[];

/** A change of nothing but the status is named after what it does. */
function changeNamed({ status, ...rest }: Partial<BudgetRow>): "pause" | "resume" | "update" {
  if (status === undefined || Object.keys(rest).some(field => field !== "since")) return "update";
  return status === "paused" ? "pause" : "resume";
}

async function record(
  transaction: ControlTransaction,
  context: Context,
  row: Pick<BudgetRow, "id" | "agent_id" | "agent_key">,
  change: ActuationChange,
): Promise<void> {
  await recordActuation(transaction, context, {
    scope: context.scope,
    agent: agentOf(row),
    type: "budget",
    change,
    subjectId: row.id,
    cause: causeOf(context.actor),
    askedAt: context.now(),
  });
}

async function findBudget(context: Context, id: string): Promise<BudgetState> {
  const { db, scope } = context;
  const row = await db
    .selectFrom("budgets")
    .selectAll()
    .where(inScope(scope))
    .where("id", "=", id)
    .executeTakeFirst();
  if (row === undefined) throw notFound("budget");
  const [budget] = await withSpending(context, [fromRow("budgets", row)]);
  if (budget === undefined) throw notFound("budget");
  return budget;
}
