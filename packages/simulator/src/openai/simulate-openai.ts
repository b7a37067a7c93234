import type { JsonObject } from "@tollgate/core/wire/json-fields";
import { answerConversation } from "../answer-conversation.ts";
import { bearerKey, type Call } from "../call.ts";
import type { AnswerPlan } from "../plan-answer.ts";
import { chatConversation, servedTier } from "./chat-answer.ts";
import { cacheTokens } from "./chat-usage.ts";
import { checkChatRequest, checkModel } from "./check-chat-request.ts";
import { datedModel } from "./dated-model.ts";
import { checkEmbeddings, embeddingsBody, embeddingsUserText } from "./embeddings.ts";
import { reasoningEffort } from "./model-traits.ts";
import { invalidRequest, type OpenaiProblem, openaiError } from "./openai-error.ts";
import { openaiHeaders, openaiWire } from "./openai-wire.ts";
import { responsesPrefixTokens } from "./read-responses-prompt.ts";
import { createResponse, type ResponsesService, storedResponse } from "./serve-responses.ts";

export async function simulateOpenai(call: Call): Promise<Response> {
  const refuse = (problem: OpenaiProblem) => openaiError(problem, openaiHeaders(call));
  if (bearerKey(call.headers) === null) {
    return refuse({ ...invalidRequest("Incorrect API key provided.", null, "invalid_api_key"), status: 401 });
  }
  const stored = /^\/v1\/responses\/([^/]+)(?:\/(input_items))?$/.exec(call.path);
  if (stored && (call.method === "GET" || (call.method === "DELETE" && !stored[2]))) {
    return storedResponse(call, responsesService(call, refuse), stored[1] ?? "", stored[2] ?? "");
  }
  const endpoint = call.method === "POST" ? endpoints[call.path] : undefined;
  if (!endpoint)
    return refuse({ ...invalidRequest(`Invalid URL (${call.method} ${call.path})`, null), status: 404 });
  if (!call.body) return refuse(invalidRequest("We could not parse the JSON body of your request.", null));
  return endpoint(call, call.body, refuse);
}

type Endpoint = (
  call: Call,
  body: JsonObject,
  refuse: (problem: OpenaiProblem) => Response,
) => Promise<Response>;

const endpoints: Readonly<Record<string, Endpoint>> = {
  "/v1/chat/completions": async (call, body, refuse) => {
    const problem = checkChatRequest(body);
    return problem
      ? refuse(problem)
      : answerConversation(call, openaiWire(call), chatConversation(call, body));
  },
  "/v1/responses": async (call, body, refuse) => {
    const problem = checkModel(body);
    return problem ? refuse(problem) : createResponse(call, responsesService(call, refuse), body);
  },
  "/v1/embeddings": async (call, body, refuse) => {
    const problem = checkModel(body) ?? checkEmbeddings(body);
    if (problem) return refuse(problem);
    return answerConversation(call, openaiWire(call), {
      userText: embeddingsUserText(body),
      stream: false,
      whole: () => embeddingsBody(body),
      frames: () => [],
      failureFrames: () => [],
    });
  },
};

function responsesService(call: Call, refuse: (problem: OpenaiProblem) => Response): ResponsesService {
  return {
    provider: "openai",
    wire: openaiWire(call),
    problem: refuse,
    write: body => `${JSON.stringify(body, null, 2)}\n`,
    host: {
      id: (prefix, label) => `${prefix}_${call.ids.hex(label, 50)}`,
      servedModel: datedModel,
      effort: reasoningEffort,
      serviceTier: servedTier,
      usage: responsesUsage,
    },
  };
}

function responsesUsage(body: JsonObject, plan: AnswerPlan): JsonObject {
  const cache = cacheTokens(body, responsesPrefixTokens(body));
  const output = plan.visibleTokens + plan.reasoningTokens;
  return {
    input_tokens: plan.inputTokens,
    input_tokens_details: {
      cached_tokens: cache.read,
      ...(cache.written === null ? {} : { cache_write_tokens: cache.written }),
    },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: plan.reasoningTokens },
    total_tokens: plan.inputTokens + output,
  };
}
