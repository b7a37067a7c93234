import { boundOutput } from "@tollgate/providers/bound-output";
import { planExchange } from "@tollgate/providers/exchange";
import type { Endpoint, Routed } from "../call.ts";

/** The same call, with answers of no more than `tokens`: planned again, for the provider must hear of it. */
export function capOutput(routed: Routed, endpoint: Endpoint, query: string, tokens: number): Routed {
  const { dialect } = endpoint;
  const { provider, model, steering } = routed;
  const body = boundOutput(dialect, provider, model, routed.body, tokens);
  if (body === routed.body) return routed;
  const summary = dialect.summarize(body);
  const exchange = planExchange(dialect, provider, {
    body,
    // The client's own bytes with the bound put into them: written anew, large whole numbers would be rounded.
    // A call that was steered has other fields than its bytes say.
    ...(steering === null
      ? { bytes: routed.bytes, source: routed.body }
      : { bytes: new TextEncoder().encode(JSON.stringify(body)) }),
    summary,
    model,
    query,
    steered: steering?.plan,
  });
  return { bytes: routed.bytes, body, summary, provider, model, exchange, steering };
}
