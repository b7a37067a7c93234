import { agentOperations } from "@tollgate/core/contract/agents";
import { z } from "zod";
import { cost, count } from "../format-amounts.ts";
import { listLines } from "../list-lines.ts";
import { uuid } from "../parameters.ts";
import { quoted } from "../quoted.ts";
import { reads, tool } from "../tool.ts";

const { period, totals, by_model } = agentOperations["agents.metrics"].output.shape;

export const getAgentDetail = tool({
  name: "svc_get_agent_detail",
  domain: "Dashboard",
  title: "Agent detail",
  description:
    "One agent: status, metadata, and its calls and cost in the last 30 days, by model. Use it once you have an agent_id from svc_list_agents. Not for what the agent earned (svc_get_task_roi) or could save (svc_get_optimization_recommendations, Lite tier and above).",
  input: z.strictObject({ agent_id: uuid("UUID of the agent") }),
  output: z.strictObject({
    agent: agentOperations["agents.get"].output,
    last_30_days: z.strictObject({ period, totals, by_model }),
  }),
  annotations: reads,
  async run(call, { agent_id }) {
    const [agent, metrics] = await Promise.all([
      call("agents.get", { id: agent_id }),
      call("agents.metrics", { id: agent_id, days: 30 }),
    ]);
    return {
      agent,
      last_30_days: { period: metrics.period, totals: metrics.totals, by_model: metrics.by_model },
    };
  },
  render({ agent, last_30_days: { totals, by_model } }) {
    return [
      `Agent ${quoted(agent.name)} (${agent.id}), key ${quoted(agent.agent_key)}: ${agent.status}${agent.paused ? ", paused (the gateway refuses its calls)" : ""}${agent.category === null ? "" : `, category ${quoted(agent.category)}`}.`,
      `First seen ${agent.created_at}, last call ${agent.last_call_at ?? "never"}.`,
      `Last 30 days (or the tier's history): ${count(totals.call_count, "call")}, ${cost(totals.cost_microcents, totals.unpriced_calls)}, ${count(totals.input_tokens, "input token")}, ${count(totals.output_tokens, "output token")}.`,
      ...listLines(
        by_model,
        model =>
          `${quoted(model.model)}: ${count(model.call_count, "call")}, ${cost(model.cost_microcents, model.unpriced_calls)}`,
        10,
      ),
    ].join("\n");
  },
});
