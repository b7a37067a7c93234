import type { Wire } from "../answer-conversation.ts";
import type { Call } from "../call.ts";
import { RETRY_AFTER_SECONDS } from "../magic-inputs.ts";
import { type XaiProblem, xaiErrorBody, xaiFailures } from "./xai-error.ts";

export function xaiWire(call: Call): Wire {
  const headers = xaiHeaders(call);
  return {
    answerHeaders: headers,
    streamHeaders: { ...headers, "content-type": "text/event-stream" },
    failure(kind) {
      const limited = { "retry-after": String(RETRY_AFTER_SECONDS), "x-ratelimit-remaining-requests": "0" };
      return xaiError(xaiFailures[kind], kind === "rate_limit" ? { ...headers, ...limited } : headers);
    },
  };
}

export function xaiError(problem: XaiProblem, headers: Readonly<Record<string, string>>): Response {
  return new Response(xaiErrorBody(problem), { status: problem.status, headers });
}

export function xaiHeaders(call: Call): Record<string, string> {
  return {
    "content-type": "application/json",
    "x-metrics-e2e-ms": String(300 + call.ids.below("metrics", 400)),
    "x-ratelimit-limit-requests": "480",
    "x-ratelimit-limit-tokens": "4000000",
    "x-ratelimit-remaining-requests": "479",
    "x-ratelimit-remaining-tokens": "4000000",
    "x-request-id": call.ids.uuid("request"),
  };
}
