import { wholeDays } from "@tollgate/core/limits/history-window";
import { DAY_MS } from "@tollgate/core/time/durations";
import { MONTH_DAYS, observedDays } from "@tollgate/core/time/observed-days";
import type { Engine } from "@tollgate/storage/database/open-control-database";
import type { ControlDb } from "@tollgate/storage/database/schema";
import { firstSeenAt, usageOfModel } from "@tollgate/storage/read-model/reading/usage-of-model";
import type { RequestRow } from "./request-row.ts";

/** The production model's own calls: how many per month, and how many have failed since the request. */
export async function productionUsage(
  transaction: ControlDb,
  engine: Engine,
  { org_id, mode, agent_id, prod_provider, prod_model, created_at }: RequestRow,
  at: number,
) {
  const production = { agentId: agent_id, provider: prod_provider, model: prod_model };
  const scope = { orgId: org_id, mode };
  const window = wholeDays({ from: at - MONTH_DAYS * DAY_MS, to: at + 1 });
  const month = await usageOfModel(transaction, engine, scope, production, window);
  const firstAt = await firstSeenAt(transaction, scope, agent_id, window.from);
  const days = observedDays({ from: window.from, now: at }, firstAt ?? window.from);
  const sampled = await usageOfModel(transaction, engine, scope, production, {
    from: created_at,
    to: at + 1,
  });
  return {
    monthlyCalls: month.calls === 0 ? null : Math.round((month.calls * MONTH_DAYS) / days),
    production: sampled,
  };
}
