import type { agentOperations } from "@tollgate/core/contract/agents";
import { encodeCursor } from "@tollgate/core/contract/fields/paging";
import { fail } from "@tollgate/core/errors";
import { historyWindow } from "@tollgate/core/limits/history-window";
import { describeRoute, type UsedModel } from "@tollgate/core/models/describe-route";
import { findModel } from "@tollgate/core/models/find-model";
import { modelFacts, modelsOf } from "@tollgate/core/models/model-facts";
import { isProviderId } from "@tollgate/core/provider-id";
import { groupDays } from "@tollgate/core/time/group-days";
import type { AgentFilter } from "@tollgate/storage/read-model/queries/agent-queries";
import { byModelName } from "../../kernel/by-model-name.ts";
import type { Context } from "../../kernel/context.ts";
import type { Handlers } from "../../kernel/handler.ts";
import { toCostSums } from "../../kernel/to-cost-sums.ts";
import { toPeriod } from "../../kernel/to-period.ts";
import { causeOf } from "../actuations/cause-of.ts";
import { findAgent } from "./find-agent.ts";
import { pauseAgent, resumeAgent } from "./pause.ts";
import { listAgents } from "./read-agents.ts";
import { type AgentChange, agentSettings, changeAgentSettings } from "./settings.ts";
import { toAgent } from "./to-agent.ts";

export const agentHandlers: Handlers<typeof agentOperations> = {
  "agents.get": async (context, { id }) => {
    const agent = await findAgent(context, id);
    return toAgent(context, agent, await agentSettings(context, agent.id));
  },

  "agents.list": async (context, input) => {
    const { readModel, scope } = context;
    const { status, category, search, breaker_enabled, limit, cursor } = input;
    const filter: AgentFilter = {
      ...(status === undefined ? {} : { status }),
      ...(category === undefined ? {} : { category }),
      ...(search === undefined ? {} : { search }),
      ...(breaker_enabled === undefined ? {} : { isBreakerOn: breaker_enabled }),
    };
    const now = context.now();
    const [page, total] = await Promise.all([
      readModel.agentPage(scope, now, filter, limit, cursor?.key),
      readModel.countAgents(scope, now, filter),
    ]);
    const agents = await listAgents(context, page.rows);
    const last = agents.length < page.rows.length ? (agents.at(-1)?.id ?? null) : page.next;
    return { agents, total, next_cursor: last === null ? null : encodeCursor({ at: 0, key: last }) };
  },

  "agents.metrics": async (context, input) => {
    const window = historyWindow(input, context.organization.tier, context.now());
    const agent = await findAgent(context, input.id);
    const { totals, byModel, byDay } = await context.readModel.usage(context.scope, window, agent.id);
    return {
      agent_id: agent.id,
      period: toPeriod(window),
      totals: {
        ...toCostSums(totals),
        input_tokens: totals.input_tokens,
        output_tokens: totals.output_tokens,
      },
      by_model: byModelName(byModel).map(line => ({ model: line.model, ...toCostSums(line) })),
      by_day: groupDays(byDay, input.group_by),
    };
  },

  "agents.pause": async (context, { id }) => {
    const agent = await findAgent(context, id);
    const cause = causeOf(context.actor);
    await context.db
      .transaction()
      .execute(transaction =>
        pauseAgent(transaction, context, context.scope, { id: agent.id, agentKey: agent.agent_key }, cause),
      );
    return toAgent(context, agent, await agentSettings(context, agent.id));
  },

  "agents.resume": async (context, { id }) => {
    const agent = await findAgent(context, id);
    const settings = await agentSettings(context, id);
    if (settings === undefined || settings.paused_at === null) {
      throw fail("invalid_request", "This agent is not paused");
    }
    return toAgent(context, agent, await resumeAgent(context, agent));
  },

  "agents.route": async (context, input) => {
    const agent = await findAgent(context, input.id);
    const at = new Date(context.now());
    const used = await modelsUsed(context, agent.id);
    const asked =
      input.current_model === undefined ? null : findModel(context.catalogue, input.current_model, at);
    const route = describeRoute({
      complexity: input.task_complexity,
      models: modelsOf(context.catalogue, {}, at),
      used,
      currentName: input.current_model ?? used[0]?.model ?? null,
      current: input.current_model === undefined ? (used[0]?.facts ?? null) : asked,
    });
    if (route === null) throw fail("invalid_request", "The price catalogue has no model to choose from");
    return { ...route, task_complexity: input.task_complexity };
  },

  "agents.update": async (context, { id, name, metadata, archived, breaker_enabled }) => {
    const agent = await findAgent(context, id);
    const known = await agentSettings(context, id);
    const change: AgentChange = {
      ...(name === undefined ? {} : { name }),
      ...(metadata === undefined ? {} : { metadata: JSON.stringify(metadata) }),
      // Archiving again keeps the first time.
      ...(archived === undefined
        ? {}
        : { archived_at: archived ? (known?.archived_at ?? context.now()) : null }),
      ...(breaker_enabled === undefined ? {} : { breaker_off: breaker_enabled ? 0 : 1 }),
    };
    return toAgent(context, agent, await changeAgentSettings(context, agent, change));
  },
};

/** The models the agent has called within the tier's history, most called first. */
async function modelsUsed(context: Context, agentId: string): Promise<UsedModel[]> {
  const at = new Date(context.now());
  // The end is exclusive; this includes a call of the current millisecond.
  const window = historyWindow({ days: 30, to: context.now() + 1 }, context.organization.tier, context.now());
  const { byModel } = await context.readModel.usage(context.scope, window, agentId);
  return byModel
    .filter(({ calls }) => calls > 0)
    .toSorted((a, b) => b.calls - a.calls || (a.model < b.model ? -1 : 1))
    .map(line => ({
      ...line,
      facts: isProviderId(line.provider)
        ? modelFacts(context.catalogue, line.provider, line.model, at)
        : null,
    }));
}
