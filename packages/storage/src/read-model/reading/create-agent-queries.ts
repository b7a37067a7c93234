import type { AgentPage, AgentQueries, AgentRecord } from "../queries/agent-queries.ts";
import { agentsByCost, countOfSpenders, toUsageByAgent, usageByAgent } from "./read-agent-usage.ts";
import {
  countOfAgents,
  countsByStatus,
  pageOfAgents,
  readAgentIds,
  readAgentsById,
  toAgentPage,
  toFleetCounts,
} from "./read-agents.ts";
import type { ScopedReader } from "./scoped-reader.ts";

export function createAgentQueries(reader: ScopedReader): AgentQueries {
  const { engine } = reader;
  return {
    async agentPage(scope, now, filter, limit, after) {
      const rows = await reader.readFleet(scope, id => pageOfAgents(engine, id, now, filter, limit, after));
      return await reader.read<AgentPage>(scope, { rows: [], next: null }, (db, id) =>
        toAgentPage(db, engine, id, now, rows, limit),
      );
    },
    countAgents: (scope, now, filter) =>
      reader.countInFleet(scope, id => countOfAgents(engine, id, now, filter)),
    fleetCounts: async (scope, now) =>
      toFleetCounts(await reader.readFleet(scope, id => countsByStatus(id, now))),
    agentsById: (scope, now, agentIds) =>
      reader.read<AgentRecord[]>(scope, [], (db, id) => readAgentsById(db, engine, id, now, agentIds)),
    agentIds: (scope, agentKeys) =>
      reader.read<ReadonlyMap<string, string>>(scope, new Map(), (db, id) =>
        readAgentIds(db, engine, id, agentKeys),
      ),
    agent: (scope, agentId, now) =>
      reader.read<AgentRecord | null>(scope, null, async (db, id) => {
        const [found] = await readAgentsById(db, engine, id, now, [agentId]);
        return found ?? null;
      }),
    usageByAgent: async (scope, window) =>
      toUsageByAgent(await reader.readFleet(scope, id => usageByAgent(id, window))),
    agentsByCost: (scope, window, choice) =>
      reader.readFleet(scope, id => agentsByCost(engine, id, window, choice)),
    spendingAgents: (scope, window, agentIds) =>
      reader.countInFleet(scope, id => countOfSpenders(engine, id, window, agentIds)),
  };
}
