import { maxOutputTokens } from "@tollgate/core/models/max-output";
import { isJsonObject, type JsonObject } from "@tollgate/core/wire/json-fields";
import { findLooseObject } from "../find-loose-object.ts";
import { listOf, numberOrNull, objectOf, textOf } from "../json-object.ts";
import { alwaysReasons, canSwitchReasoningOff, isReasoningModel } from "./model-traits.ts";
import { invalidRequest, type OpenaiProblem } from "./openai-error.ts";

const knownFields = new Set(
  `model messages max_completion_tokens max_tokens temperature top_p n stop seed frequency_penalty presence_penalty
  logit_bias logprobs top_logprobs stream stream_options tools tool_choice parallel_tool_calls response_format
  reasoning_effort verbosity service_tier modalities audio prediction store metadata prompt_cache_key
  prompt_cache_options prompt_cache_retention safety_identifier user web_search_options moderation functions
  function_call`.split(/\s+/),
);

/** As strict as the real API where a wrong translation would show; null if it would accept the request. */
export function checkChatRequest(body: JsonObject): OpenaiProblem | null {
  return (
    checkModel(body) ??
    checkFields(body) ??
    checkLimit(body) ??
    checkEffort(body) ??
    checkSampling(body) ??
    checkTools(body) ??
    checkFormat(body) ??
    checkMessages(body) ??
    checkResults(body)
  );
}

/** Detects another provider's model: the call went to the wrong address. */
export function checkModel(body: JsonObject): OpenaiProblem | null {
  const model = body.model;
  if (typeof model !== "string" || model === "")
    return invalidRequest("you must provide a model parameter", null);
  if (!/^(claude|gemini|grok)/.test(model)) return null;
  return {
    status: 404,
    message: "The model does not exist or you do not have access to it.",
    type: "invalid_request_error",
    param: null,
    code: "model_not_found",
  };
}

function checkFields(body: JsonObject): OpenaiProblem | null {
  const unknown = Object.keys(body).find(key => !knownFields.has(key));
  if (unknown !== undefined) {
    return invalidRequest(`Unknown parameter: '${unknown}'.`, unknown, "unknown_parameter");
  }
  if (listOf(body.messages).length === 0) {
    return invalidRequest(
      "Missing required parameter: 'messages'.",
      "messages",
      "missing_required_parameter",
    );
  }
  if (body.stream_options != null && body.stream !== true) {
    const message = "The 'stream_options' parameter is only allowed when 'stream' is enabled.";
    return invalidRequest(message, "stream_options");
  }
  return null;
}

function checkLimit(body: JsonObject): OpenaiProblem | null {
  const most = maxOutputTokens("openai", textOf(body.model));
  for (const field of ["max_tokens", "max_completion_tokens"]) {
    const limit = numberOrNull(body[field]);
    if (limit === null || limit <= most) continue;
    const message = `${field} is too large: ${limit}. This model supports at most ${most} completion tokens, whereas you provided ${limit}.`;
    return invalidRequest(message, field, "invalid_value");
  }
  return null;
}

const samplingFields = [
  "top_p",
  "logprobs",
  "top_logprobs",
  "presence_penalty",
  "frequency_penalty",
  "logit_bias",
];

function checkSampling(body: JsonObject): OpenaiProblem | null {
  const model = textOf(body.model);
  if (!isReasoningModel(model)) return null;
  if (body.max_tokens != null) {
    const message =
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
    return invalidRequest(message, "max_tokens", "unsupported_parameter");
  }
  if (body.stop != null && /^o[34]/.test(model)) return unsupported("stop");
  if (canSwitchReasoningOff(model) && body.reasoning_effort === "none") return null;
  if (body.temperature != null && body.temperature !== 1) {
    const message =
      "Unsupported value: 'temperature' must keep its default (1) with this model. Only the default is supported.";
    return invalidRequest(message, "temperature", "unsupported_value");
  }
  const field = samplingFields.find(name => body[name] != null && body[name] !== false);
  return field === undefined ? null : unsupported(field);
}

function checkEffort(body: JsonObject): OpenaiProblem | null {
  const model = textOf(body.model);
  if (!alwaysReasons(model)) return null;
  if (body.reasoning_effort === "none") {
    const message = `Unsupported value: 'none' is not supported with the '${model}' model.`;
    return invalidRequest(message, "reasoning_effort", "unsupported_value");
  }
  if (listOf(body.tools).length === 0) return null;
  const message = `Function tools are not supported for ${model} in /v1/chat/completions. Use /v1/responses.`;
  return invalidRequest(message, "reasoning_effort");
}

function unsupported(field: string): OpenaiProblem {
  const message = `Unsupported parameter: '${field}' is not supported with this model.`;
  return invalidRequest(message, field, "unsupported_parameter");
}

function checkTools(body: JsonObject): OpenaiProblem | null {
  const tools = listOf(body.tools);
  for (const field of ["tool_choice", "parallel_tool_calls"]) {
    const given = body[field] != null && body[field] !== "none";
    if (given && tools.length === 0) {
      return invalidRequest(`'${field}' is only allowed when 'tools' are specified.`, field);
    }
  }
  for (const [at, tool] of tools.entries()) {
    const { type, function: definition } = objectOf(tool);
    if (type === "custom") continue;
    const param = `tools[${at}].function.name`;
    const name = textOf(objectOf(definition).name);
    if (type !== "function" || !/^[a-zA-Z0-9_-]{1,64}$/.test(name)) {
      return invalidRequest(`Invalid '${param}': string does not match pattern.`, param, "invalid_value");
    }
    const { parameters, strict } = objectOf(definition);
    if (parameters != null && (!isJsonObject(parameters) || parameters.type !== "object")) {
      const message = "Invalid schema for function: schema must be a JSON Schema of 'type: \"object\"'.";
      return invalidRequest(message, `tools[${at}].function.parameters`, "invalid_function_parameters");
    }
    if (isJsonObject(parameters) && parameters.properties === undefined) {
      const message = `Invalid schema for function '${name}': In context=(), object schema missing properties.`;
      return invalidRequest(message, `tools[${at}].function.parameters`, "invalid_function_parameters");
    }
    if (strict === true && findLooseObject(parameters, true) !== null) {
      const message =
        "Invalid schema for function: 'additionalProperties' must be false and 'required' must name every property.";
      return invalidRequest(message, `tools[${at}].function.parameters`, "invalid_function_parameters");
    }
  }
  return null;
}

function checkFormat(body: JsonObject): OpenaiProblem | null {
  const { strict, schema } = objectOf(objectOf(body.response_format).json_schema);
  const loose = strict === true ? findLooseObject(schema, true) : null;
  if (loose === null) return null;
  const message = `Invalid schema for response_format: in '${loose}', 'additionalProperties' must be false and 'required' must name every property.`;
  return invalidRequest(message, "response_format");
}

/** Every call must be answered before anything else, and every answer must have a call. */
export function checkMessages(body: JsonObject): OpenaiProblem | null {
  let open = new Set<unknown>();
  for (const [at, entry] of listOf(body.messages).entries()) {
    const message = objectOf(entry);
    const role = message.role;
    if (role === "tool") {
      if (!open.delete(message.tool_call_id)) {
        const sentence =
          "messages with role 'tool' must be a response to a preceding message with 'tool_calls'.";
        return invalidRequest(`Invalid parameter: ${sentence}`, `messages.[${at}].role`);
      }
      continue;
    }
    if (open.size > 0) return unanswered();
    if (!["developer", "system", "user", "assistant", "function"].includes(textOf(role))) {
      return invalidRequest(
        `Invalid value for 'messages[${at}].role'.`,
        `messages[${at}].role`,
        "invalid_value",
      );
    }
    const calls = listOf(message.tool_calls).map(objectOf);
    for (const [index, call] of calls.entries()) {
      const badArguments = call.type === "function" && typeof objectOf(call.function).arguments !== "string";
      if (typeof call.id !== "string" || badArguments) {
        const param = `messages[${at}].tool_calls[${index}]`;
        return invalidRequest(`Invalid type for '${param}': expected a string.`, param, "invalid_type");
      }
    }
    open = new Set(calls.map(call => call.id));
    if (
      role === "assistant" &&
      message.content == null &&
      calls.length === 0 &&
      message.refusal == null &&
      message.function_call == null &&
      message.audio == null
    ) {
      return invalidRequest(
        `Invalid value for 'content': expected a string, got null.`,
        `messages.[${at}].content`,
      );
    }
    if (role !== "assistant" && message.content == null) {
      return invalidRequest(
        `Invalid value for 'content': expected a string, got null.`,
        `messages.[${at}].content`,
      );
    }
  }
  return open.size > 0 ? unanswered() : null;
}

function checkResults(body: JsonObject): OpenaiProblem | null {
  for (const [at, entry] of listOf(body.messages).entries()) {
    const { role, content } = objectOf(entry);
    if (role !== "tool" || listOf(content).every(part => objectOf(part).type === "text")) continue;
    const message = `Invalid 'messages[${at}]'. Image URLs are only allowed for messages with role 'user'.`;
    return invalidRequest(message, `messages[${at}]`, "invalid_value");
  }
  return null;
}

function unanswered(): OpenaiProblem {
  const message =
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.";
  return invalidRequest(message, "messages");
}

export function choiceCount(body: JsonObject): number {
  return Math.min(Math.max(numberOrNull(body.n) ?? 1, 1), 128);
}
