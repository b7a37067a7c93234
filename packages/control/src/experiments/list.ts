import { findAgent } from "../agents/find-agent.ts";
import type { Handler } from "../kernel/handler.ts";
import { toExperiment } from "./to-experiment.ts";

export const experimentsList: Handler<"experiments.list"> = async (context, input) => {
  const { db, scope, now } = context;
  if (input.agent_id !== undefined) await findAgent(context, input.agent_id);
  let query = db
    .selectFrom("experiments")
    .selectAll()
    .where("org_id", "=", scope.orgId)
    .where("mode", "=", scope.mode);
  if (input.agent_id !== undefined) query = query.where("agent_id", "=", input.agent_id);
  if (input.status !== undefined) query = query.where("status", "=", input.status);
  const rows = await query
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(input.limit)
    .offset(input.offset)
    .execute();
  const experiments = [];
  for (const row of rows) experiments.push(await toExperiment(db, row, now()));
  return { experiments };
};
