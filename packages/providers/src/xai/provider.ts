import { decodeAnswer } from "../openai/decode-answer.ts";
import { createStreamDecoder } from "../openai/decode-stream.ts";
import { ChatMeter } from "../openai/meter.ts";
import { openaiStyleHeaders } from "../openai/openai-style-headers.ts";
import { createResponsesMeter } from "../openai/responses-meter.ts";
import type { Provider } from "../provider.ts";
import { countTools } from "./count-tools.ts";
import { decodeError } from "./decode-error.ts";
import { encodeRequest } from "./encode-request.ts";
import { fitModel } from "./fit-model.ts";
import {
  readChatCost,
  readChatUsage,
  readCostOfSeveral,
  readLargestPrompt,
  readResponsesCost,
} from "./read-usage.ts";
import { violations } from "./violations.ts";

const readers = { readUsage: readChatUsage, readCost: readChatCost, certainUsage: () => null };
const responsesReaders = { readCost: readResponsesCost, countTools, readLargestPrompt };
const severalReaders = { ...readers, readCost: readCostOfSeveral };
const chatMeter = (choices = 1) => new ChatMeter(choices > 1 ? severalReaders : readers, choices);

export const xai: Provider = {
  id: "xai",
  baseUrl: "https://api.x.ai",
  credential: key => ({ authorization: `Bearer ${key}` }),
  /** `x-grok-conv-id` keeps a conversation on one server, which its cache needs. */
  forwardedHeaders: ["x-grok-conv-id", "idempotency-key", "x-client-request-id"],
  returnedHeaders: openaiStyleHeaders,
  native: {
    "openai-chat": { path: "/v1/chat/completions", meter: chatMeter, fitModel },
    "openai-responses": { path: "/v1/responses", meter: () => createResponsesMeter(responsesReaders) },
  },
  conversation: {
    encodeRequest,
    decodeAnswer,
    toolName: /^[a-zA-Z0-9_-]{1,64}$/,
    streamDecoder: createStreamDecoder,
    meter: chatMeter,
  },
  embeddings: null,
  decodeError,
  violations,
};
