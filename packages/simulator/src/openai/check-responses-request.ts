import type { JsonObject } from "@tollgate/core/wire/json-fields";
import { objectOf, textOf } from "../json-object.ts";
import { canSwitchReasoningOff, isReasoningModel } from "./model-traits.ts";
import { invalidRequest, type OpenaiProblem } from "./openai-error.ts";

/** Chat fields that a wrong translation would leave behind. New fields are frequent, so there is no full list. */
const chatFields = `messages max_tokens max_completion_tokens response_format n stop functions function_call
  reasoning_effort frequency_penalty presence_penalty logit_bias`.split(/\s+/);

export function checkResponsesRequest(body: JsonObject, items: readonly JsonObject[]): OpenaiProblem | null {
  return checkFields(body) ?? checkOutputs(items);
}

function checkFields(body: JsonObject): OpenaiProblem | null {
  const foreign = chatFields.find(field => body[field] !== undefined);
  if (foreign !== undefined)
    return invalidRequest(`Unknown parameter: '${foreign}'.`, foreign, "unknown_parameter");
  if (body.input == null && body.prompt == null && body.previous_response_id == null) {
    return invalidRequest("Missing required parameter: 'input'.", "input", "missing_required_parameter");
  }
  const model = textOf(body.model);
  const off = canSwitchReasoningOff(model) && objectOf(body.reasoning).effort === "none";
  if (!isReasoningModel(model) || off) return null;
  const field = ["temperature", "top_p"].find(name => body[name] != null && body[name] !== 1);
  if (field === undefined) return null;
  const message = `Unsupported parameter: '${field}' is not supported with this model.`;
  return invalidRequest(message, field, "unsupported_parameter");
}

function checkOutputs(items: readonly JsonObject[]): OpenaiProblem | null {
  const calls = new Set<unknown>();
  for (const item of items) {
    if (item.type === "function_call") calls.add(item.call_id);
    if (item.type === "function_call_output" && !calls.has(item.call_id)) {
      return invalidRequest("No tool call found for function call output with this call_id.", "input");
    }
  }
  return null;
}
