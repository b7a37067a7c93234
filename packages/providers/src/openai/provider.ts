import type { Provider } from "../provider.ts";
import { decodeAnswer } from "./decode-answer.ts";
import { decodeError } from "./decode-error.ts";
import { createStreamDecoder } from "./decode-stream.ts";
import { createEmbeddingsMeter, embeddingsCodec } from "./embeddings.ts";
import { encodeRequest } from "./encode-request.ts";
import { fitChat, fitResponses } from "./fit-model.ts";
import { ChatMeter } from "./meter.ts";
import { openaiStyleHeaders } from "./openai-style-headers.ts";
import { countTools } from "./read-responses-usage.ts";
import { certainUsage, readSearchingUsage } from "./read-searching-usage.ts";
import { createResponsesMeter } from "./responses-meter.ts";

/** OpenAI states no amount, so its cost is always computed from tokens. */
const noCost = () => null;

const readers = { readUsage: readSearchingUsage, readCost: noCost, certainUsage };
const responsesReaders = { readCost: noCost, countTools, readLargestPrompt: () => null };
const chatMeter = (choices?: number, model?: string) => new ChatMeter(readers, choices, model);

export const openai: Provider = {
  id: "openai",
  baseUrl: "https://api.openai.com",
  credential: key => ({ authorization: `Bearer ${key}` }),
  forwardedHeaders: [
    "openai-organization",
    "openai-project",
    "openai-beta",
    "idempotency-key",
    "x-client-request-id",
  ],
  returnedHeaders: [
    "openai-organization",
    "openai-processing-ms",
    "openai-project",
    "openai-version",
    // Present while a project has a limit of its own.
    "x-ratelimit-limit-project-tokens",
    "x-ratelimit-remaining-project-tokens",
    "x-ratelimit-reset-project-tokens",
    ...openaiStyleHeaders,
  ],
  native: {
    "openai-chat": { path: "/v1/chat/completions", meter: chatMeter, fitModel: fitChat },
    "openai-embeddings": { path: "/v1/embeddings", meter: createEmbeddingsMeter },
    "openai-responses": {
      path: "/v1/responses",
      meter: () => createResponsesMeter(responsesReaders),
      fitModel: fitResponses,
    },
  },
  conversation: {
    encodeRequest,
    decodeAnswer,
    toolName: /^[a-zA-Z0-9_-]{1,64}$/,
    streamDecoder: createStreamDecoder,
    meter: chatMeter,
  },
  embeddings: embeddingsCodec,
  decodeError,
};
