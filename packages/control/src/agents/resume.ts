import { fail } from "@tollgate/core/errors";
import type { Handler } from "../kernel/handler.ts";
import { findAgent } from "./find-agent.ts";
import { agentSettings, changeAgentSettings } from "./settings.ts";
import { toAgent } from "./to-agent.ts";

export const agentsResume: Handler<"agents.resume"> = async (context, { id }) => {
  const agent = await findAgent(context, id);
  const settings = await agentSettings(context, id);
  if (settings === undefined || settings.paused_at === null) {
    throw fail("invalid_request", "This agent is not paused");
  }
  return toAgent(context, agent, await changeAgentSettings(context, agent, { paused_at: null }));
};
