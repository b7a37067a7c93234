import type { Wire } from "../answer-conversation.ts";
import { googleError, googleFailures } from "./google-error.ts";

export const googleHeaders: Readonly<Record<string, string>> = {
  "content-type": "application/json; charset=UTF-8",
  vary: "Origin, X-Origin, Referer",
  "x-content-type-options": "nosniff",
};

export function googleWire(serviceTier: string, sse: boolean): Wire {
  const headers = { ...googleHeaders, "x-gemini-service-tier": serviceTier };
  return {
    answerHeaders: headers,
    streamHeaders: sse ? { ...headers, "content-type": "text/event-stream" } : headers,
    failure: kind => googleError(googleFailures[kind], googleHeaders),
  };
}
