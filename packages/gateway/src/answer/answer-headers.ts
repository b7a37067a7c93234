import type { Event } from "@tollgate/core/event";
import type { CanonicalError } from "@tollgate/providers/canonical/answer";
import type { Provider } from "@tollgate/providers/provider";
import type { Call } from "../call/call.ts";

/** One object per answer, filled in place: spreading several into one costs more than the rest of this file. */
type AnswerHeaders = Record<string, string>;

/** Headers of every answer to a call that has, or will have, an event. */
export function answerHeaders(call: Call, contentType: string): AnswerHeaders {
  const { limitHeaders, hold } = call;
  const headers: AnswerHeaders = {
    "content-type": contentType,
    "x-gateway-event-id": call.id,
    "ratelimit-limit": limitHeaders["ratelimit-limit"],
    "ratelimit-remaining": limitHeaders["ratelimit-remaining"],
    "ratelimit-reset": limitHeaders["ratelimit-reset"],
  };
  if (hold !== null && hold.warning !== null) headers["x-gateway-budget-warning"] = hold.warning;
  if (call.steering?.isSwitchSkipped === true) headers["x-gateway-optimization"] = "skipped";
  // The provider's own id takes its place. A translated answer has none under this name, and our own errors none at all.
  headers[call.endpoint.dialect.id === "anthropic-messages" ? "request-id" : "x-request-id"] = call.id;
  return headers;
}

export function addSettled(headers: AnswerHeaders, call: Call, event: Event): void {
  headers["x-gateway-latency"] = `${event.latency_ms}ms`;
  // The event of an unpriced call has the cost 0: sent as a number, an unknown cost would look free.
  if (event.cost_basis !== "unpriced") headers["x-gateway-cost"] = String(event.cost_microcents);
  addServedModel(headers, call, event.served_model);
}

export function addServedModel(headers: AnswerHeaders, call: Call, servedModel: string | null): void {
  // A call routed to another model reports it even if that model never answered.
  const served = servedModel ?? call.model;
  const asked = call.steering === null ? call.model : call.steering.asked.model;
  if (served === asked || !isHeaderSafe(served)) return;
  headers["x-gateway-model"] = served;
}

/** Adds the provider's headers that the client may see. */
export function addReturned(headers: AnswerHeaders, provider: Provider, upstream: Headers): void {
  for (const name of provider.returnedHeaders) {
    const value = upstream.get(name);
    if (value !== null) headers[name] = value;
  }
}

/** On a provider's own error: the provider's headers, and how long to wait if only the error's body states it. */
export function addProviderError(
  headers: AnswerHeaders,
  provider: Provider,
  upstream: Headers,
  error: CanonicalError,
): void {
  addReturned(headers, provider, upstream);
  headers["x-gateway-error-source"] = "provider";
  if (error.retryAfterSeconds !== undefined) headers["retry-after"] ??= String(error.retryAfterSeconds);
}

function isHeaderSafe(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}
