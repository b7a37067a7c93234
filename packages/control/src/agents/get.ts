import type { Handler } from "../kernel/handler.ts";
import { findAgent } from "./find-agent.ts";
import { agentSettings } from "./settings.ts";
import { toAgent } from "./to-agent.ts";

export const agentsGet: Handler<"agents.get"> = async (context, { id }) => {
  const agent = await findAgent(context, id);
  return toAgent(context, agent, await agentSettings(context, agent.id));
};
