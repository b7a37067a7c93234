import type { AgentRecord } from "@tollgate/storage/read-model/queries/agent-queries";
import type { Window } from "@tollgate/storage/read-model/window";
import type { ScopedControl } from "../../kernel/context.ts";

/**
 * Suggestions and leak checks look at every model and day of an agent. In a larger fleet they examine only the most
 * expensive agents, where the savings are, and report how many were left out.
 */
const MAX_EXAMINED = 1000;

interface ExaminedAgents {
  /** Most expensive first. */
  readonly records: readonly AgentRecord[];
  readonly leftOut: number;
}

/** All agents, or one. */
export async function examinedAgents(
  { readModel, scope, now }: ScopedControl,
  window: Window,
  agentId: string | undefined,
): Promise<ExaminedAgents> {
  if (agentId !== undefined) {
    return { records: await readModel.agentsById(scope, now(), [agentId]), leftOut: 0 };
  }
  const byCost = await readModel.agentsByCost(scope, window, { limit: MAX_EXAMINED });
  const ids = byCost.map(({ agent_id }) => agent_id);
  const byId = new Map((await readModel.agentsById(scope, now(), ids)).map(agent => [agent.id, agent]));
  const records = ids.flatMap(id => byId.get(id) ?? []);
  const isAll = records.length < MAX_EXAMINED;
  return {
    records,
    leftOut: isAll ? 0 : Math.max(0, (await readModel.countAgents(scope, now(), {})) - records.length),
  };
}
