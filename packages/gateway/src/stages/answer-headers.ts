import type { Event } from "@tollgate/core/event";
import type { Call } from "../call.ts";

/** Headers of every answer to a call that is, or will be, an event. */
export function callHeaders(call: Call): Record<string, string> {
  return { ...call.limitHeaders, "x-gateway-event-id": call.id };
}

export function settledHeaders(call: Call, event: Event): Record<string, string> {
  return {
    ...callHeaders(call),
    "x-gateway-latency": `${event.latency_ms}ms`,
    "x-gateway-cost": String(event.cost_microcents),
    ...servedModelHeader(call, event.served_model),
  };
}

export function servedModelHeader(call: Call, servedModel: string | null): Record<string, string> {
  if (servedModel === null || servedModel === call.model || !isHeaderSafe(servedModel)) return {};
  return { "x-gateway-model": servedModel };
}

/** What of the provider's own headers the client may see. */
export function returnedHeaders(call: Call, upstream: Headers): Record<string, string> {
  const returned: Record<string, string> = {};
  for (const pattern of call.provider.returnedHeaders) {
    if (!pattern.endsWith("*")) {
      const value = upstream.get(pattern);
      if (value !== null) returned[pattern] = value;
    }
  }
  const prefixes = call.provider.returnedHeaders.filter(p => p.endsWith("*")).map(p => p.slice(0, -1));
  if (prefixes.length > 0) {
    upstream.forEach((value, name) => {
      if (prefixes.some(prefix => name.startsWith(prefix))) returned[name] = value;
    });
  }
  return returned;
}

function isHeaderSafe(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}
