import type { JsonObject } from "@tollgate/core/wire/json-fields";
import { answerConversation } from "../answer-conversation.ts";
import { bearerKey, type Call } from "../call.ts";
import { listOf, textOf } from "../json-object.ts";
import { checkMessages } from "../openai/check-chat-request.ts";
import type { OpenaiProblem } from "../openai/openai-error.ts";
import { createResponse, type ResponsesService, storedResponse } from "../openai/serve-responses.ts";
import { chatConversation, xaiEffort } from "./chat-answer.ts";
import type { XaiProblem } from "./xai-error.ts";
import { xaiResponsesUsage } from "./xai-usage.ts";
import { xaiError, xaiHeaders, xaiWire } from "./xai-wire.ts";

export async function simulateXai(call: Call): Promise<Response> {
  const refuse = (problem: XaiProblem) => xaiError(problem, xaiHeaders(call));
  // A bad key is 400 here, not 401.
  if (bearerKey(call.headers) === null) return refuse(invalid("Incorrect API key provided."));
  const stored = /^\/v1\/responses\/([^/]+)(?:\/(input_items))?$/.exec(call.path);
  if (stored && (call.method === "GET" || (call.method === "DELETE" && !stored[2]))) {
    return storedResponse(call, responsesService(call, refuse), stored[1] ?? "", stored[2] ?? "");
  }
  const known = call.path === "/v1/chat/completions" || call.path === "/v1/responses";
  if (call.method !== "POST" || !known) {
    return refuse({ status: 404, code: "not-found", error: "The requested resource was not found." });
  }
  if (!call.body) return refuse(invalid("Failed to parse the request body as JSON."));
  const problem = checkModel(call.body);
  if (problem) return refuse(problem);
  if (call.path === "/v1/responses") return createResponse(call, responsesService(call, refuse), call.body);
  if (listOf(call.body.messages).length === 0) return refuse(invalid("Messages cannot be empty."));
  const fault = checkReasoner(call.body) ?? checkMessages(call.body)?.message ?? null;
  if (fault !== null) return refuse(invalid(fault));
  return answerConversation(call, xaiWire(call), chatConversation(call, call.body));
}

function invalid(error: string): XaiProblem {
  return { status: 400, code: "invalid-argument", error };
}

function checkModel(body: JsonObject): XaiProblem | null {
  const model = textOf(body.model);
  if (model === "") return invalid("A model must be provided.");
  if (!/^(claude|gemini|gpt-|o\d)/.test(model)) return null;
  return {
    status: 404,
    code: "not-found",
    error: "The model does not exist or your team has no access to it.",
  };
}

/** Its reasoning models support neither penalties nor stop sequences. */
function checkReasoner(body: JsonObject): string | null {
  const model = textOf(body.model);
  if (xaiEffort(model, undefined) === null) return null;
  const field = ["presence_penalty", "frequency_penalty", "stop"].find(name => body[name] != null);
  return field === undefined ? null : `Model ${model} does not support parameter ${field}.`;
}

function responsesService(call: Call, refuse: (problem: XaiProblem) => Response): ResponsesService {
  return {
    provider: "xai",
    wire: xaiWire(call),
    problem: (problem: OpenaiProblem) =>
      refuse({
        status: problem.status,
        code: problem.status === 404 ? "not-found" : "invalid-argument",
        error: problem.message,
      }),
    write: body => JSON.stringify(body),
    host: {
      id: (prefix, label) => (prefix === "resp" ? call.ids.uuid(label) : `${prefix}_${call.ids.uuid(label)}`),
      servedModel: model => model,
      effort: xaiEffort,
      serviceTier: () => "default",
      usage: (body, plan) => xaiResponsesUsage(textOf(body.model), plan),
    },
  };
}
