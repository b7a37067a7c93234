import { planExchange } from "@tollgate/providers/exchange";
import type { Endpoint, Routed } from "../call.ts";

/** The same call, with answers of no more than `tokens`: planned again, for the provider must hear of it. */
export function capOutput(routed: Routed, endpoint: Endpoint, query: string, tokens: number): Routed {
  const { dialect } = endpoint;
  const capped = dialect.capOutput(routed.body, tokens);
  if (capped === routed.body) return routed;
  // Told to anthropic in another dialect, a budget for thinking would be added to the limit.
  const thinksApart = routed.provider.id === "anthropic" && !routed.exchange.isNative;
  const body = thinksApart ? withoutReasoning(capped) : capped;
  const summary = dialect.summarize(body);
  const bytes = new TextEncoder().encode(JSON.stringify(body));
  const { provider, model } = routed;
  const exchange = planExchange(dialect, provider, { body, bytes, summary, model, query });
  return { bytes: routed.bytes, body, summary, provider, model, exchange };
}

function withoutReasoning(body: Routed["body"]): Routed["body"] {
  const { reasoning_effort: _effort, reasoning: _reasoning, thinking: _thinking, ...rest } = body;
  return rest;
}
