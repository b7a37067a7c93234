import type { Handler } from "../kernel/handler.ts";
import { budgetsCreate } from "./create.ts";
import { budgetsUpdate } from "./update.ts";

export const budgetsSet: Handler<"budgets.set"> = async (context, input) => {
  const { agent_id, period, ...said } = input;
  // The oldest: a second one of the same scope and period can only be made on purpose.
  const existing = await context.db
    .selectFrom("budgets")
    .select("id")
    .where("org_id", "=", context.scope.orgId)
    .where("mode", "=", context.scope.mode)
    .where("period", "=", period)
    .where("agent_id", agent_id === undefined ? "is" : "=", agent_id ?? null)
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
    : { created: false, budget: await budgetsUpdate(context, { id: existing.id, ...said }) };
};
