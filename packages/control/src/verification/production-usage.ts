import type { Engine } from "@tollgate/storage/database/open-control-database";
import type { ControlDb } from "@tollgate/storage/database/schema";
import { usageOfModel } from "@tollgate/storage/read-model/usage-of-model";
import type { RequestRow } from "./request-row.ts";

const MONTH_MS = 30 * 86_400_000;

/** The production model's own calls: how many per month, and how many have failed since the request. */
export async function productionUsage(
  transaction: ControlDb,
  engine: Engine,
  { org_id, mode, agent_id, prod_provider, prod_model, created_at }: RequestRow,
  at: number,
) {
  const production = { agentId: agent_id, provider: prod_provider, model: prod_model };
  const scope = { orgId: org_id, mode };
  const month = await usageOfModel(transaction, engine, scope, production, {
    from: at - MONTH_MS,
    to: at + 1,
  });
  const sampled = await usageOfModel(transaction, engine, scope, production, {
    from: created_at,
    to: at + 1,
  });
  return { monthlyCalls: month.calls === 0 ? null : month.calls, production: sampled };
}
