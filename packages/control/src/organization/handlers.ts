import { toIsoTime } from "@tollgate/core/contract/fields/iso-time";
import type { OutputOf } from "@tollgate/core/contract/operation";
import type { Operations } from "@tollgate/core/contract/operations";
import type { organizationOperations } from "@tollgate/core/contract/organization";
import { fail } from "@tollgate/core/errors";
import { limitsOf } from "@tollgate/core/limits/tiers";
import type { Context } from "../kernel/context.ts";
import type { Handlers } from "../kernel/handler.ts";
import { requireLiveKey } from "../members/guard.ts";

export const organizationHandlers: Handlers<typeof organizationOperations> = {
  "organization.get": shownOrganization,

  "organization.update": async (context, { name }) => {
    requireLiveKey(context);
    await context.db
      .updateTable("organizations")
      .set({ name })
      .where("id", "=", context.organization.id)
      .execute();
    return await shownOrganization(context);
  },
};

/** The principal's organization. JSON has no Infinity: unlimited is null. */
async function shownOrganization(context: Context): Promise<OutputOf<Operations["organization.get"]>> {
  const { id, tier } = context.organization;
  const row = await context.db
    .selectFrom("organizations")
    .select(["name", "burst_per_minute", "monthly_calls", "created_at"])
    .where("id", "=", id)
    .executeTakeFirst();
  if (!row) throw fail("not_found", "There is no such organization");
  const limits = limitsOf(tier, { burstPerMinute: row.burst_per_minute, monthlyCalls: row.monthly_calls });
  return {
    id,
    name: row.name,
    tier,
    // Other statuses were refused before.
    status: "active",
    limits: {
      agents: finite(limits.agents),
      monthly_calls: finite(limits.monthlyCalls),
      burst_per_minute: finite(limits.burstPerMinute),
      history_days: finite(limits.historyDays),
      budgets: finite(limits.budgets),
    },
    created_at: toIsoTime(row.created_at),
  };
}

function finite(limit: number): number | null {
  return Number.isFinite(limit) ? limit : null;
}
