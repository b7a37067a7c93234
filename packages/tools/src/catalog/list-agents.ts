import { agentStatuses } from "@tollgate/core/agents/status";
import { agentResource } from "@tollgate/core/contract/agents";
import { z } from "zod";
import { count } from "../format-amounts.ts";
import { listLines } from "../list-lines.ts";
import { quoted } from "../quoted.ts";
import { reads, tool } from "../tool.ts";

const MAX_AGENTS = 200;
const { id, name, agent_key, status, paused, category, last_call_at } = agentResource.shape;
const listed = z.strictObject({ id, name, agent_key, status, paused, category, last_call_at });

export const listAgents = tool({
  name: "svc_list_agents",
  domain: "Dashboard",
  title: "List agents",
  description:
    "The agents of the organization with id, name, status and category, filtered by status or category. Use it to find the agent_id that other tools need. Not for costs: svc_get_cost_summary has the costs of all agents.",
  input: z.strictObject({
    status: z
      .enum(agentStatuses)
      .optional()
      .meta({ description: "Only agents with this status; default: all" }),
    category: z.string().min(1).max(256).optional().meta({ description: "Only agents in this category" }),
  }),
  output: z.strictObject({
    agents: z.array(listed).meta({ description: `At most ${MAX_AGENTS}` }),
    total: z.int().meta({ description: "All matching agents, listed or not" }),
  }),
  annotations: reads,
  async run(call, filter) {
    const { agents, total } = await call("agents.list", { ...filter, limit: MAX_AGENTS });
    return {
      agents: agents.map(agent => ({
        id: agent.id,
        name: agent.name,
        agent_key: agent.agent_key,
        status: agent.status,
        paused: agent.paused,
        category: agent.category,
        last_call_at: agent.last_call_at,
      })),
      total,
    };
  },
  render({ agents, total }, { status, category }) {
    if (total === 0) {
      return status === undefined && category === undefined
        ? "No agents yet. They appear with their first call through the gateway."
        : "No agent matches; omit status and category to list all.";
    }
    const cut =
      total > agents.length ? ` The first ${agents.length} are listed; narrow by status or category.` : "";
    return [
      `${count(total, "agent")}.${cut}`,
      ...listLines(
        agents,
        agent =>
          `${quoted(agent.name)} (${agent.id}): ${agent.status}${agent.paused ? ", paused" : ""}${agent.category === null ? "" : `, category ${quoted(agent.category)}`}, last call ${agent.last_call_at ?? "never"}`,
        50,
      ),
    ].join("\n");
  },
});
