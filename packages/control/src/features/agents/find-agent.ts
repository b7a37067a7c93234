import type { AgentRecord } from "@tollgate/storage/read-model/queries/agent-queries";
import type { Context } from "../../kernel/context.ts";
import { notFound } from "../../kernel/not-found.ts";

export async function findAgent(context: Context, agentId: string): Promise<AgentRecord> {
  const agent = await context.readModel.agent(context.scope, agentId, context.now());
  if (agent === null) throw notFound("agent");
  return agent;
}
