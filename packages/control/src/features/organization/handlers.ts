import { toIsoTime } from "@tollgate/core/contract/fields/iso-time";
import type { OutputOf } from "@tollgate/core/contract/operation";
import type { Operations } from "@tollgate/core/contract/operations";
import type { organizationOperations } from "@tollgate/core/contract/organization";
import { fail } from "@tollgate/core/errors";
import { limitsOf } from "@tollgate/core/limits/tiers";
import { DAY_MS } from "@tollgate/core/time/durations";
import { monthOf } from "@tollgate/core/time/month";
import type { Context } from "../../kernel/context.ts";
import type { Handlers } from "../../kernel/handler.ts";
import { redirectOriginsOf, setRedirectOrigins } from "./redirect-origins.ts";

export const organizationHandlers: Handlers<typeof organizationOperations> = {
  "organization.get": shownOrganization,

  "organization.usage": async context => {
    const { readModel, scope, db, organization, now } = context;
    const at = now();
    const { limits, tier } = await shownOrganization(context);
    const [fleet, firstCallAt, calls, budgets] = await Promise.all([
      readModel.fleetCounts(scope, at),
      readModel.firstCallAt(scope),
      readModel.monthlyCalls(organization.id, monthOf(at)),
      db
        .selectFrom("budgets")
        .select(({ fn }) => fn.countAll<number>().as("count"))
        .where("org_id", "=", scope.orgId)
        .where("mode", "=", scope.mode)
        .executeTakeFirstOrThrow(),
    ]);
    const month = new Date(at);
    const nextMonth = Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1, 1);
    return {
      tier,
      agents: { limit: limits.agents, used: fleet.active + fleet.idle + fleet.error },
      monthly_calls: {
        limit: limits.monthly_calls,
        // Test answers show nothing of live traffic.
        used: scope.mode === "live" ? calls : null,
        resets_at: toIsoTime(nextMonth),
      },
      burst_per_minute: { limit: limits.burst_per_minute, used: null },
      history_days: {
        limit: limits.history_days,
        used: firstCallAt === null ? 0 : Math.max(0, Math.ceil((at - firstCallAt) / DAY_MS)),
      },
      budgets: { limit: limits.budgets, used: Number(budgets.count) },
    };
  },

  "organization.update": async (context, { name, flags = {}, redirect_origins }) => {
    const { id } = context.organization;
    const { optimization_model_v3: hasModel } = flags;
    const change = {
      ...(name === undefined ? {} : { name }),
      ...(hasModel === undefined ? {} : { optimization_model_v3: hasModel ? 1 : 0 }),
    };
    const isChanged = Object.keys(change).length > 0;
    if (!isChanged && redirect_origins === undefined) {
      throw fail(
        "invalid_request",
        "name, flags or redirect_origins is required: there is nothing to change",
      );
    }
    await context.db.transaction().execute(async transaction => {
      if (isChanged)
        await transaction.updateTable("organizations").set(change).where("id", "=", id).execute();
      if (redirect_origins !== undefined) await setRedirectOrigins(transaction, id, redirect_origins);
    });
    return await shownOrganization(context);
  },
};

/** The principal's organization. JSON has no Infinity: unlimited is null. */
async function shownOrganization(context: Context): Promise<OutputOf<Operations["organization.get"]>> {
  const { id, tier } = context.organization;
  const row = await context.db
    .selectFrom("organizations")
    .select(["name", "burst_per_minute", "monthly_calls", "optimization_model_v3", "created_at"])
    .where("id", "=", id)
    .executeTakeFirst();
  if (!row) throw fail("not_found", "There is no such organization");
  const limits = limitsOf(tier, { burstPerMinute: row.burst_per_minute, monthlyCalls: row.monthly_calls });
  return {
    id,
    name: row.name,
    tier,
    // Requests of other organizations are refused earlier.
    status: "active",
    limits: {
      agents: finite(limits.agents),
      monthly_calls: finite(limits.monthlyCalls),
      burst_per_minute: finite(limits.burstPerMinute),
      history_days: finite(limits.historyDays),
      budgets: finite(limits.budgets),
    },
    flags: { optimization_model_v3: row.optimization_model_v3 === 1 },
    redirect_origins: await redirectOriginsOf(context.db, id),
    created_at: toIsoTime(row.created_at),
  };
}

function finite(limit: number): number | null {
  return Number.isFinite(limit) ? limit : null;
}
