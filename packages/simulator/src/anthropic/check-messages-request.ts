import { maxOutputTokens } from "@tollgate/core/models/max-output";
import { isJsonObject, type JsonObject } from "@tollgate/core/wire/json-fields";
import { listOf, objectOf, textOf } from "../json-object.ts";
import { type AnthropicProblem, invalidRequest } from "./anthropic-error.ts";
import { checkStrictSchema } from "./check-strict-schema.ts";
import { checkTurns } from "./check-turns.ts";
import { claudeVersion, rejectsForcedTools } from "./claude-version.ts";
import { contentBlocks } from "./read-messages-prompt.ts";

const knownFields = new Set(
  `model max_tokens messages system tools tool_choice stop_sequences stream metadata thinking output_config
  cache_control service_tier speed inference_geo container temperature top_p top_k`.split(/\s+/),
);

const NEW_VERSION = "2026-10-21";

interface MessagesContext {
  readonly version: string;
  /** A beta may add its own fields. */
  readonly hasBeta: boolean;
  readonly countsOnly: boolean;
}

/** As strict as the real API where a wrong translation would show; null if it would accept the request. */
export function checkMessagesRequest(body: JsonObject, context: MessagesContext): AnthropicProblem | null {
  return (
    checkFields(body, context) ??
    checkSampling(body, context) ??
    checkThinking(body) ??
    checkSignatures(body) ??
    checkFormat(body) ??
    checkTools(body) ??
    checkTurns(body)
  );
}

function checkFields(body: JsonObject, context: MessagesContext): AnthropicProblem | null {
  const model = textOf(body.model);
  if (model === "") return invalidRequest("model: Field required");
  if (/^(gpt-|o\d|gemini|grok)/.test(model)) {
    return { status: 404, type: "not_found_error", message: "model: not found" };
  }
  if (!context.countsOnly) {
    const limit = body.max_tokens;
    if (limit === undefined) return invalidRequest("max_tokens: Field required");
    if (!Number.isInteger(limit)) return invalidRequest("max_tokens: Input should be a valid integer");
    if (Number(limit) < 0) return invalidRequest("max_tokens: Input should be greater than or equal to 0");
    const most = maxOutputTokens("anthropic", model);
    // Betas raise the limits of some models.
    if (Number(limit) > most && !context.hasBeta) {
      return invalidRequest(
        `max_tokens: ${limit} > ${most}, which is the maximum allowed number of output tokens for ${model}`,
      );
    }
  }
  const unknown = context.hasBeta ? undefined : Object.keys(body).find(key => !knownFields.has(key));
  if (unknown !== undefined) return invalidRequest(`${unknown}: Extra inputs are not permitted`);
  for (const [at, sequence] of listOf(body.stop_sequences).entries()) {
    if (textOf(sequence).trim() === "") {
      return invalidRequest(`stop_sequences.${at}: each stop sequence must contain non-whitespace`);
    }
  }
  return null;
}

/** The new API version has no sampling parameters; models after 4.6 accept them only at their defaults. */
function checkSampling(body: JsonObject, context: MessagesContext): AnthropicProblem | null {
  const given = ["temperature", "top_p", "top_k"].find(field => body[field] !== undefined);
  if (given === undefined) return null;
  if (context.version >= NEW_VERSION) return invalidRequest(`${given}: Extra inputs are not permitted`);
  const { temperature, top_p: topP, top_k: topK } = body;
  if (claudeVersion(textOf(body.model)) > 406) {
    const tolerated =
      (temperature === undefined || temperature === 1) &&
      (topP === undefined || (typeof topP === "number" && topP >= 0.99)) &&
      topK === undefined;
    return tolerated ? null : invalidRequest(`\`${given}\` is deprecated for this model.`);
  }
  if (
    temperature !== undefined &&
    !(typeof temperature === "number" && temperature >= 0 && temperature <= 1)
  ) {
    return invalidRequest("temperature: range: 0..1");
  }
  if (claudeVersion(textOf(body.model)) >= 401 && temperature !== undefined && topP !== undefined) {
    return invalidRequest("`temperature` and `top_p` cannot both be specified for this model.");
  }
  return null;
}

function checkThinking(body: JsonObject): AnthropicProblem | null {
  const { type, budget_tokens: budget } = objectOf(body.thinking);
  const version = claudeVersion(textOf(body.model));
  if (objectOf(body.output_config).effort === "xhigh" && version < 407) {
    return invalidRequest("This model does not support effort level 'xhigh'.");
  }
  if (type === "adaptive" && version < 406) {
    return invalidRequest("adaptive thinking is not supported on this model");
  }
  if (type !== "enabled") return null;
  if (typeof budget !== "number" || budget < 1024) {
    return invalidRequest("thinking.enabled.budget_tokens: Input should be greater than or equal to 1024");
  }
  if (typeof body.max_tokens === "number" && budget >= body.max_tokens) {
    return invalidRequest("`max_tokens` must be greater than `thinking.budget_tokens`.");
  }
  if (body.temperature !== undefined && body.temperature !== 1) {
    return invalidRequest("`temperature` may only be set to 1 when thinking is enabled.");
  }
  const choice = objectOf(body.tool_choice).type;
  if (choice === "any" || choice === "tool") {
    return invalidRequest("Thinking may not be enabled when tool_choice forces tool use.");
  }
  return null;
}

function checkSignatures(body: JsonObject): AnthropicProblem | null {
  const messages = listOf(body.messages).map(objectOf);
  const blocks = messages.flatMap(message => (message.role === "assistant" ? contentBlocks(message) : []));
  return blocks.some(block => block.type === "thinking" && textOf(block.signature) === "")
    ? invalidRequest("messages: Invalid `signature` in `thinking` block")
    : null;
}

function checkFormat(body: JsonObject): AnthropicProblem | null {
  const format = objectOf(objectOf(body.output_config).format);
  const problem = format.type === "json_schema" ? checkStrictSchema(format.schema) : null;
  return problem === null ? null : invalidRequest(`output_config.format.schema: ${problem}`);
}

function checkTools(body: JsonObject): AnthropicProblem | null {
  const tools = listOf(body.tools).map(objectOf);
  for (const [at, tool] of tools.entries()) {
    if (tool.type !== undefined && tool.type !== "custom") continue;
    if (!/^[a-zA-Z0-9_-]{1,128}$/.test(textOf(tool.name))) {
      return invalidRequest(`tools.${at}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`);
    }
    const schema = tool.input_schema;
    if (!isJsonObject(schema)) return invalidRequest(`tools.${at}.custom.input_schema: Field required`);
    if (schema.type === undefined)
      return invalidRequest(`tools.${at}.custom.input_schema.type: Field required`);
    if (schema.type !== "object") {
      return invalidRequest(`tools.${at}.custom.input_schema.type: Input should be 'object'`);
    }
    const problem = tool.strict === true ? checkStrictSchema(schema) : null;
    if (problem !== null) return invalidRequest(`tools.${at}.custom: ${problem}`);
  }
  const choice = objectOf(body.tool_choice);
  if (["any", "tool", "auto"].includes(textOf(choice.type)) && tools.length === 0) {
    return invalidRequest("tool_choice: may only be specified while providing tools");
  }
  if (["any", "tool"].includes(textOf(choice.type)) && rejectsForcedTools(textOf(body.model))) {
    return invalidRequest('tool_choice: type "tool" and "any" are not supported for this model.');
  }
  if (choice.type === "tool" && !tools.some(tool => tool.name === choice.name)) {
    return invalidRequest("tool_choice: the named tool was not found in the provided tools");
  }
  return null;
}
