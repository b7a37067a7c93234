import { fail } from "@tollgate/core/errors";
import { historyWindow } from "@tollgate/core/limits/history-window";
import { describeRoute, type UsedModel } from "@tollgate/core/models/describe-route";
import { findModel } from "@tollgate/core/models/find-model";
import { modelFacts, modelsOf } from "@tollgate/core/models/model-facts";
import { isProviderId } from "@tollgate/core/provider-id";
import type { Context } from "../kernel/context.ts";
import type { Handler } from "../kernel/handler.ts";
import { findAgent } from "./find-agent.ts";

export const agentsRoute: Handler<"agents.route"> = async (context, input) => {
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
