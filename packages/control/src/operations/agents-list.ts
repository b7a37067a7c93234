import type { agentsList as operation } from "@tollgate/core/contract/agents-list";
import type { Handler } from "./handler.ts";
import { listAgents } from "./list-agents.ts";

export const agentsList: Handler<typeof operation> = async (context, { status, category }) => {
  const agents = await listAgents(context);
  return {
    agents: agents.filter(
      agent =>
        (status === undefined || agent.status === status) &&
        (category === undefined || agent.category === category),
    ),
  };
};
