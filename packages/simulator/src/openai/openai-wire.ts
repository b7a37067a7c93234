import type { FailureKind, Wire } from "../answer-conversation.ts";
import type { Call } from "../call.ts";
import { magicInputs, RETRY_AFTER_SECONDS } from "../magic-inputs.ts";
import { type OpenaiProblem, openaiError } from "./openai-error.ts";

const REQUESTS_PER_MINUTE = 10_000;
const TOKENS_PER_MINUTE = 2_000_000;

export const openaiFailures: Readonly<Record<FailureKind, OpenaiProblem>> = {
  rate_limit: {
    status: magicInputs.rate_limit.status.openai,
    message: "Rate limit reached on requests per min (RPM). Please try again later.",
    type: "requests",
    param: null,
    code: "rate_limit_exceeded",
  },
  overload: {
    status: magicInputs.overload.status.openai,
    message: "The engine is currently overloaded, please try again later.",
    type: "server_error",
    param: null,
    code: null,
  },
  internal: {
    status: magicInputs.error_after_200.status.openai,
    message: "The server had an error while processing your request.",
    type: "server_error",
    param: null,
    code: null,
  },
};

export function openaiWire(call: Call): Wire {
  const headers = openaiHeaders(call);
  return {
    answerHeaders: headers,
    streamHeaders: { ...headers, "content-type": "text/event-stream; charset=utf-8" },
    failure(kind) {
      const limited = {
        "retry-after": String(RETRY_AFTER_SECONDS),
        "retry-after-ms": String(RETRY_AFTER_SECONDS * 1000),
        "x-ratelimit-remaining-requests": "0",
        "x-ratelimit-reset-requests": `${RETRY_AFTER_SECONDS}s`,
      };
      return openaiError(openaiFailures[kind], kind === "rate_limit" ? { ...headers, ...limited } : headers);
    },
  };
}

export function openaiHeaders(call: Call): Record<string, string> {
  return {
    "content-type": "application/json",
    "openai-organization": "org-simulated",
    "openai-processing-ms": String(200 + call.ids.below("processing", 400)),
    "openai-version": "2020-10-01",
    "x-ratelimit-limit-requests": String(REQUESTS_PER_MINUTE),
    "x-ratelimit-limit-tokens": String(TOKENS_PER_MINUTE),
    "x-ratelimit-remaining-requests": String(REQUESTS_PER_MINUTE - 1),
    "x-ratelimit-remaining-tokens": String(TOKENS_PER_MINUTE - 1_000),
    "x-ratelimit-reset-requests": "6ms",
    "x-ratelimit-reset-tokens": "0s",
    "x-request-id": `req_${call.ids.hex("request", 32)}`,
  };
}
