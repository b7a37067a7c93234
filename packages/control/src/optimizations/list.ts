import { findAgent } from "../agents/find-agent.ts";
import type { Handler } from "../kernel/handler.ts";
import { toOptimization } from "./to-optimization.ts";

export const agentsOptimizationsList: Handler<"agents.optimizations.list"> = async (
  context,
  { id, limit },
) => {
  const agent = await findAgent(context, id);
  const rows = await context.db
    .selectFrom("optimizations")
    .selectAll()
    .where("org_id", "=", context.scope.orgId)
    .where("mode", "=", context.scope.mode)
    .where("agent_id", "=", agent.id)
    .orderBy("applied_at", "desc")
    .orderBy("id", "desc")
    .limit(limit)
    .execute();
  return { optimizations: rows.map(toOptimization) };
};
