import type { Wire } from "../answer-conversation.ts";
import type { Call } from "../call.ts";
import { RETRY_AFTER_SECONDS } from "../magic-inputs.ts";
import { type AnthropicProblem, anthropicFailures } from "./anthropic-error.ts";

export function anthropicWire(call: Call): Wire {
  const headers = anthropicHeaders(call);
  return {
    answerHeaders: headers,
    streamHeaders: { ...headers, "content-type": "text/event-stream; charset=utf-8" },
    failure: kind => anthropicError(call, anthropicFailures[kind]),
  };
}

export function anthropicError(call: Call, problem: AnthropicProblem): Response {
  const { status, ...error } = problem;
  const body = JSON.stringify({ type: "error", error, request_id: requestId(call) });
  const limited = status === 429;
  const retries: Record<string, string> = {
    "x-should-retry": String(limited || status >= 500),
    ...(limited
      ? { "retry-after": String(RETRY_AFTER_SECONDS), "anthropic-ratelimit-requests-remaining": "0" }
      : {}),
  };
  return new Response(body, { status, headers: { ...anthropicHeaders(call), ...retries } });
}

function anthropicHeaders(call: Call): Record<string, string> {
  const reset = new Date(call.nowMs + 1_000).toISOString().replace(/\.\d+Z$/, "Z");
  const limits = { requests: 4_000, "input-tokens": 2_000_000, "output-tokens": 400_000, tokens: 2_400_000 };
  const headers: Record<string, string> = {
    "content-type": "application/json",
    "request-id": requestId(call),
    "anthropic-organization-id": "00000000-0000-4000-a000-000000000000",
  };
  for (const [kind, limit] of Object.entries(limits)) {
    headers[`anthropic-ratelimit-${kind}-limit`] = String(limit);
    headers[`anthropic-ratelimit-${kind}-remaining`] = String(limit - 1);
    headers[`anthropic-ratelimit-${kind}-reset`] = reset;
  }
  return headers;
}

function requestId(call: Call): string {
  return `req_011C${call.ids.alphanumeric("request", 20)}`;
}
