import { fail } from "@tollgate/core/errors";
import { findModel } from "@tollgate/core/models/find-model";
import { modelsOf } from "@tollgate/core/models/model-facts";
import type { AgentObservation } from "@tollgate/core/suggestions/agent-observation";
import { optimizationPayload } from "@tollgate/core/suggestions/optimization-payload";
import { suggest } from "@tollgate/core/suggestions/suggest";
import type { Suggestion } from "@tollgate/core/suggestions/suggestion";
import {
  isOptimizationType,
  isSuggestionType,
  type OptimizationType,
  optimizationTypes,
} from "@tollgate/core/suggestions/suggestion-types";
import type { Context } from "../../kernel/context.ts";
import type { Handler } from "../../kernel/handler.ts";
import { causeOf } from "../actuations/cause-of.ts";
import { putInForce } from "../actuations/put-in-force.ts";
import { findAgent } from "../agents/find-agent.ts";
import { refuseDuringExperiment } from "../experiments/refuse-during-experiment.ts";
import { includesSuggestions } from "../suggestions/includes-suggestions.ts";
import { observeAgents } from "../suggestions/observe-agents.ts";
import { type OptimizationRow, toOptimization } from "./to-optimization.ts";

export const agentsOptimizationsApply: Handler<"agents.optimizations.apply"> = async (context, input) => {
  const agent = await findAgent(context, input.id);
  const { optimization_type: type } = input;
  if (!isOptimizationType(type)) {
    throw fail(
      "invalid_request",
      isSuggestionType(type)
        ? `optimization_type: the gateway cannot apply ${type}${suggestionHint(context)}`
        : `optimization_type: must be one of ${optimizationTypes.join(", ")}`,
    );
  }
  if (type === "model_switch") await refuseDuringExperiment(context, agent.id);
  const suggestion = await findSuggestion(context, agent.id, type);
  const at = context.now();
  const payload = optimizationPayload(
    type,
    suggestion.implementation?.payload.payload ?? {},
    input.payload ?? {},
    context.catalogue,
    new Date(at),
  );
  const cause = causeOf(context.actor);
  const row: OptimizationRow = {
    id: context.newId(),
    org_id: context.scope.orgId,
    mode: context.scope.mode,
    agent_id: agent.id,
    agent_key: agent.agent_key,
    optimization_type: type,
    payload: JSON.stringify(payload),
    source: "suggestion",
    applied_by: cause.actor,
    applied_at: at,
    undone_at: null,
  };
  await context.db.transaction().execute(transaction => putInForce(transaction, context, row, cause));
  const message = messageOf(type, payload) + keyHint(context, suggestion, payload);
  return { applied: true, message, optimization: toOptimization(row) };
};

/**
 * The current suggestion, or a 400. Applied optimizations are ignored: one that is already in force can be applied
 * again with other values while the events support it.
 */
async function findSuggestion(
  context: Context,
  agentId: string,
  type: OptimizationType,
): Promise<Suggestion> {
  const { agents } = await observeAgents(context, { agentId });
  const unoptimized = agents.map(agent => ({ ...agent, appliedOptimizations: new Map() }));
  const { suggestions, insufficient } = suggest(
    unoptimized,
    modelsOf(context.catalogue, {}, new Date(context.now())),
  );
  const found = suggestions.find(suggestion => suggestion.type === type);
  if (found?.one_click) return found;
  const why = found
    ? `the gateway cannot do it for this agent${suggestionHint(context)}`
    : (insufficient[0]?.reason ?? reasonOf(type, agents));
  throw fail("invalid_request", `optimization_type: ${type} cannot be applied now: ${why}`);
}

function reasonOf(type: OptimizationType, [agent]: readonly AgentObservation[]): string {
  const worse = type === "model_switch" && agent !== undefined ? [...agent.worseModels] : [];
  return worse.length === 0
    ? "the agent's calls of the last 30 days do not suggest it"
    : `a verification or the breaker found ${worse.join(" and ")} worse for this agent, and its calls of the last 30 days do not suggest another model`;
}

function suggestionHint({ organization }: Context): string {
  return includesSuggestions(organization.tier) ? "; the suggestion says what you can do yourself" : "";
}

function messageOf(type: OptimizationType, payload: Readonly<Record<string, unknown>>): string {
  switch (type) {
    case "model_switch":
      return `Within a second the gateway will send this agent's calls to ${payload.model}`;
    case "token_guardrails":
      return `Within a second the gateway will limit this agent's answers to ${payload.max_output_tokens} tokens`;
    case "prompt_caching":
      return "Within a second the gateway will mark this agent's Anthropic prompts for caching";
  }
}

/** Calls carry the key of the provider they ask for; another provider's key must be sent in its own header. */
function keyHint(
  { catalogue, now }: Context,
  suggestion: Suggestion,
  { model }: Readonly<Record<string, unknown>>,
): string {
  const suggested = suggestion.implementation?.payload.payload.model;
  if (typeof model !== "string" || typeof suggested !== "string") return "";
  const provider = findModel(catalogue, model, new Date(now()))?.provider;
  if (provider === findModel(catalogue, suggested, new Date(now()))?.provider) return "";
  return `, if they carry its key in X-Provider-Key-${provider}; calls without it stay unchanged`;
}
