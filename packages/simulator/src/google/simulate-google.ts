import type { JsonObject } from "@tollgate/core/wire/json-fields";
import { answerConversation } from "../answer-conversation.ts";
import type { Call } from "../call.ts";
import { listOf, objectOf } from "../json-object.ts";
import { checkContentRequest } from "./check-content-request.ts";
import { contentConversation, servedTier } from "./content-answer.ts";
import { batchEmbedBody, checkBatch, checkEmbedding, embedContentBody, embeddingText } from "./embeddings.ts";
import { badKey, type GoogleProblem, googleError, invalidArgument } from "./google-error.ts";
import { googleHeaders, googleWire } from "./google-wire.ts";

export async function simulateGoogle(call: Call): Promise<Response> {
  const refuse = (problem: GoogleProblem) => googleError(problem, googleHeaders);
  // A missing or bad key is 400 here, not 401.
  if (!call.headers.get("x-goog-api-key")) return refuse(badKey);
  const match = /^\/v1beta\/models\/([^/:]+):(\w+)$/.exec(call.path);
  const model = match?.[1] ?? "";
  const method = methods[match?.[2] ?? ""];
  if (!method || call.method !== "POST" || /^(claude|gpt-|o\d|grok)/.test(model)) {
    return refuse({ code: 404, message: "The model or method was not found.", status: "NOT_FOUND" });
  }
  if (!call.body) return refuse(invalidArgument("Invalid JSON payload received."));
  return method(call, model, call.body, refuse);
}

type Method = (
  call: Call,
  model: string,
  body: JsonObject,
  refuse: (problem: GoogleProblem) => Response,
) => Promise<Response>;

const generate =
  (stream: boolean): Method =>
  async (call, model, body, refuse) => {
    const problem = checkContentRequest(model, body, stream);
    if (problem) return refuse(problem);
    const sse = call.query.get("alt") === "sse";
    const conversation = contentConversation(call, body, { model, stream, sse });
    return answerConversation(call, googleWire(servedTier(body), sse), conversation);
  };

const embed = (call: Call, userText: string, whole: () => string): Promise<Response> =>
  answerConversation(call, googleWire("standard", false), {
    userText,
    stream: false,
    whole,
    frames: () => [],
    failureFrames: () => [],
  });

const methods: Readonly<Record<string, Method>> = {
  generateContent: generate(false),
  streamGenerateContent: generate(true),
  embedContent: async (call, model, body, refuse) => {
    const problem = checkEmbedding(model, body);
    return problem ? refuse(problem) : embed(call, embeddingText(body), () => embedContentBody(model, body));
  },
  batchEmbedContents: async (call, model, body, refuse) => {
    const problem = checkBatch(model, body);
    if (problem) return refuse(problem);
    const last = objectOf(listOf(body.requests).at(-1));
    return embed(call, embeddingText(last), () => batchEmbedBody(model, body));
  },
};
