import { maxOutputTokens } from "@tollgate/core/models/max-output";
import type { JsonObject } from "@tollgate/core/wire/json-fields";
import type { CanonicalRequest } from "../canonical/request.ts";
import { JSON_INSTRUCTION } from "../json-instruction.ts";
import type { UpstreamRequest } from "../provider.ts";
import { addCacheHints } from "./add-cache-hints.ts";
import { closeSchema } from "./close-schema.ts";
import { encodeThinking } from "./encode-thinking.ts";
import { encodeTools } from "./encode-tools.ts";
import { encodeTurns } from "./encode-turns.ts";
import { type ModelCapabilities, modelCapabilities } from "./model-traits.ts";

/** The version that older models, and their sampling parameters, still need. */
export const anthropicVersion = "2023-06-01";
export const messagesPath = "/v1/messages";

/** `max_tokens` is required; other providers make it optional. */
const DEFAULT_MAX_TOKENS = 4096;

/** `seed`, penalties and image `detail` have no equivalent: they are only hints, and are not sent. */
export function encodeRequest(request: CanonicalRequest): UpstreamRequest {
  const capabilities = modelCapabilities(request.model);
  const { system, messages } = encodeTurns(request.turns, capabilities.systemTurns);
  const { tools, toolChoice, isForced, instruction } = encodeTools(request, capabilities);
  const { thinking, effort, budgetTokens } = encodeThinking(request, capabilities, messages, isForced);
  if (request.outputFormat?.kind === "json") system.push({ type: "text", text: JSON_INSTRUCTION });
  if (instruction !== undefined) system.push({ type: "text", text: instruction });

  const stop = request.stop?.filter(sequence => sequence.trim() !== "");
  const thinks = thinking !== undefined && thinking.type !== "disabled";
  const mostTokens = maxTokens(request, budgetTokens, thinking?.type === "enabled");
  // JSON.stringify omits undefined fields.
  const body = {
    model: request.model,
    max_tokens: mostTokens,
    system: nonEmpty(system),
    messages,
    tools: nonEmpty(tools),
    tool_choice: toolChoice,
    thinking,
    output_config: outputConfig(request, capabilities, effort),
    ...(capabilities.sampling && !thinks ? sampling(request) : {}),
    stop_sequences: nonEmpty(stop),
    service_tier: serviceTier(request.serviceTier),
    metadata: metadata(request.user),
    stream: request.stream ? true : undefined,
  };
  return {
    path: messagesPath,
    headers: { "content-type": "application/json", "anthropic-version": anthropicVersion },
    body: JSON.stringify(request.cachesPrompt === true ? addCacheHints(body) : body),
    maxOutputTokens: mostTokens,
  };
}

function nonEmpty<T>(list: readonly T[] | undefined): readonly T[] | undefined {
  return list === undefined || list.length === 0 ? undefined : list;
}

/**
 * Thinking counts toward `max_tokens`, and its budget must be smaller. The caller's limit stays reserved for the
 * answer: the budget is added where it would not fit, up to the model's maximum.
 */
function maxTokens(
  { model, maxOutputTokens: requested }: CanonicalRequest,
  budgetTokens: number,
  hasFixedBudget: boolean,
): number {
  if (requested === undefined) return DEFAULT_MAX_TOKENS + budgetTokens;
  if (!hasFixedBudget || requested > budgetTokens) return requested;
  return Math.min(requested + budgetTokens, maxOutputTokens("anthropic", model));
}

function outputConfig(
  { outputFormat }: CanonicalRequest,
  capabilities: ModelCapabilities,
  effort: string | undefined,
): JsonObject | undefined {
  const config: Record<string, unknown> = {};
  if (effort !== undefined) config.effort = effort;
  if (outputFormat?.kind === "schema" && capabilities.structuredOutput) {
    config.format = { type: "json_schema", schema: closeSchema(outputFormat.schema) };
  }
  return Object.keys(config).length === 0 ? undefined : config;
}

/** Models from 4.1 on reject temperature and top_p together, and some clients always send both. */
function sampling({ temperature, topP, topK }: CanonicalRequest): JsonObject {
  return {
    temperature: temperature === undefined ? undefined : Math.min(Math.max(temperature, 0), 1),
    top_p: temperature === undefined ? topP : undefined,
    top_k: topK,
  };
}

/** `auto` may use capacity that the customer has bought; nothing here can request more than that. */
function serviceTier(tier: string | undefined): string | undefined {
  if (tier === "auto" || tier === "priority" || tier === "fast" || tier === "scale") return "auto";
  if (tier === "default" || tier === "standard" || tier === "standard_only" || tier === "flex")
    return "standard_only";
  return undefined;
}

/** Anthropic rejects ids that are e-mail addresses. */
function metadata(user: string | undefined): JsonObject | undefined {
  return user === undefined || user === "" || /\S@\S/.test(user) ? undefined : { user_id: user };
}
