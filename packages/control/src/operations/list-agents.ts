import type { Context } from "../context.ts";
import { allAgentSettings } from "./agent-settings.ts";
import { type Agent, toAgent } from "./to-agent.ts";

/** Every agent of the organization, oldest first. */
export async function listAgents(context: Context): Promise<Agent[]> {
  const [records, settings] = await Promise.all([
    context.readModel.agents(context.scope, context.now()),
    allAgentSettings(context),
  ]);
  return records.map(record => toAgent(context, record, settings.get(record.id)));
}
