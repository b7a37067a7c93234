import { defaultWarningPct } from "@tollgate/core/alerts/default-warning-pct";
import { fail, type TollgateError } from "@tollgate/core/errors";
import { lowestTierAllowing, tiers } from "@tollgate/core/limits/tiers";
import { lockOrganization } from "@tollgate/storage/config/lock-organization";
import type { Context } from "../../kernel/context.ts";
import type { Handler } from "../../kernel/handler.ts";
import { tierLimit } from "../../kernel/tier-limit.ts";
import { causeOf } from "../actuations/cause-of.ts";
import { recordActuation } from "../actuations/record-actuation.ts";
import { alertPreferencesOf } from "../alert-preferences/preferences-of.ts";
import { readSubject } from "./budget-subject.ts";
import { agentOf, type BudgetRow, withSpending } from "./read-budgets.ts";
import { toBudget } from "./to-budget.ts";

export const budgetsCreate: Handler<"budgets.create"> = async (context, input) => {
  const { scope } = context;
  const subject = await readSubject(context, input);
  const now = context.now();
  const row: BudgetRow = {
    id: context.newId(),
    org_id: scope.orgId,
    mode: scope.mode,
    ...subject,
    period: input.period,
    limit_microcents: input.limit_microcents,
    warning_pct: input.warning_pct ?? defaultWarningPct(await alertPreferencesOf(context.db, scope.orgId)),
    warning_is_default: input.warning_pct === undefined ? 1 : 0,
    enforcement_mode: input.enforcement_mode,
    strict: input.strict ? 1 : 0,
    allow_unpriced: input.allow_unpriced ? 1 : 0,
    status: "active",
    since: now,
    created_at: now,
    updated_at: now,
  };
  await insertWithinLimit(context, row);
  const [budget] = await withSpending(context, [row]);
  if (budget === undefined) throw new Error("the new budget could not be read back");
  return toBudget(budget);
};

async function insertWithinLimit(context: Context, row: BudgetRow): Promise<void> {
  await context.db.transaction().execute(async transaction => {
    // Of two concurrent creations only one may take the last slot.
    await lockOrganization(transaction, context.engine, row.org_id);
    const { count } = await transaction
      .selectFrom("budgets")
      .select(({ fn }) => fn.countAll<number>().as("count"))
      .where("org_id", "=", row.org_id)
      .where("mode", "=", row.mode)
      .executeTakeFirstOrThrow();
    if (Number(count) >= tiers[context.organization.tier].budgets) throw tooMany(context, Number(count) + 1);
    await transaction.insertInto("budgets").values(row).execute();
    await recordActuation(transaction, context, {
      scope: context.scope,
      agent: agentOf(row),
      type: "budget",
      change: "create",
      subjectId: row.id,
      cause: causeOf(context.actor),
      askedAt: row.created_at,
    });
  });
}

function tooMany(context: Context, wanted: number): TollgateError {
  const { tier } = context.organization;
  const allowed = tiers[tier].budgets;
  if (tier === "enterprise") {
    return fail("invalid_request", `This organization already has ${allowed} budgets, the maximum`);
  }
  const sentence = `The tier ${tier} includes ${allowed} ${allowed === 1 ? "budget" : "budgets"}`;
  return tierLimit(sentence, lowestTierAllowing("budgets", wanted), tier, context.publicUrl);
}
