import type { Handler } from "../kernel/handler.ts";
import { findAgent } from "./find-agent.ts";
import { type AgentChange, agentSettings, changeAgentSettings } from "./settings.ts";
import { toAgent } from "./to-agent.ts";

export const agentsUpdate: Handler<"agents.update"> = async (context, { id, name, metadata, archived }) => {
  const agent = await findAgent(context, id);
  const known = await agentSettings(context, id);
  const change: AgentChange = {
    ...(name === undefined ? {} : { name }),
    ...(metadata === undefined ? {} : { metadata: JSON.stringify(metadata) }),
    // Archiving again keeps the first time.
    ...(archived === undefined
      ? {}
      : { archived_at: archived ? (known?.archived_at ?? context.now()) : null }),
  };
  return toAgent(context, agent, await changeAgentSettings(context, agent, change));
};
