import { boundOutput } from "@tollgate/providers/bound-output";
import { planExchange } from "@tollgate/providers/exchange";
import type { Endpoint, Routed } from "../request/routed.ts";

/** The same call, its answers limited to `tokens`. Planned again, because the request to the provider changes. */
export function capOutput(routed: Routed, endpoint: Endpoint, query: string, tokens: number): Routed {
  const { dialect } = endpoint;
  const { bytes, source, provider, model, steering } = routed;
  const body = boundOutput(dialect, provider, model, routed.body, tokens);
  if (body === routed.body) return routed;
  const summary = dialect.summarize(body);
  const exchange = planExchange(dialect, provider, {
    body,
    // The limit is spliced into the client's own bytes: re-encoding would round large integers.
    bytes,
    source,
    summary,
    model,
    query,
    steered: steering?.plan,
  });
  return { bytes, source, body, summary, provider, model, exchange, steering };
}
