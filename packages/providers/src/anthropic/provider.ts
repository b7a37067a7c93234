import type { Provider } from "../provider.ts";
import { addCacheHints } from "./add-cache-hints.ts";
import { decodeAnswer } from "./decode-answer.ts";
import { decodeError } from "./decode-error.ts";
import { AnthropicStreamDecoder } from "./decode-stream.ts";
import { anthropicVersion, encodeRequest, messagesPath } from "./encode-request.ts";
import { fitModel } from "./fit-model.ts";
import { AnthropicMeter } from "./meter.ts";
import { modelCapabilities } from "./model-traits.ts";

/** Priority tier and fast mode have limits of their own; clients read these to fall back to the standard ones. */
const rateLimits = [
  "ratelimit-requests",
  "ratelimit-tokens",
  "ratelimit-input-tokens",
  "ratelimit-output-tokens",
  "priority-input-tokens",
  "priority-output-tokens",
  "fast-input-tokens",
  "fast-output-tokens",
].flatMap(what => ["limit", "remaining", "reset"].map(state => `anthropic-${what}-${state}`));

export const anthropic: Provider = {
  id: "anthropic",
  baseUrl: "https://api.anthropic.com",
  // The version is required, and some native clients omit it. A forwarded client header overrides this default; the key
  // is never a forwarded header, so it cannot be overridden.
  credential: key => ({ "x-api-key": key, "anthropic-version": anthropicVersion }),
  forwardedHeaders: ["anthropic-version", "anthropic-beta"],
  returnedHeaders: [
    "request-id",
    ...rateLimits,
    "anthropic-organization-id",
    "retry-after",
    "retry-after-ms",
    "x-should-retry",
  ],
  native: {
    "anthropic-messages": { path: messagesPath, meter: () => new AnthropicMeter(), fitModel, addCacheHints },
  },
  conversation: {
    encodeRequest,
    decodeAnswer,
    toolName: /^[a-zA-Z0-9_-]{1,128}$/,
    addsThinkingToLimit(model) {
      const { adaptiveThinking, budgetThinking } = modelCapabilities(model);
      return budgetThinking && !adaptiveThinking;
    },
    streamDecoder: () => new AnthropicStreamDecoder(),
    meter: () => new AnthropicMeter(),
  },
  embeddings: null,
  decodeError,
};
