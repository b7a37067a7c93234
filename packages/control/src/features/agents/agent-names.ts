import type { Context } from "../../kernel/context.ts";
import { agentSettingsOf } from "./settings.ts";

export async function agentNames(
  context: Context,
  agents: readonly { readonly agentId: string }[],
): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(agents.map(({ agentId }) => agentId))];
  const [records, settings] = await Promise.all([
    context.readModel.agentsById(context.scope, context.now(), ids),
    agentSettingsOf(context, ids),
  ]);
  return new Map(records.map(({ id, agent_key }) => [id, settings.get(id)?.name ?? agent_key]));
}
