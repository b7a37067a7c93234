import type { Catalogue } from "@tollgate/core/pricing/catalogue";
import { planExchange } from "@tollgate/providers/exchange";
import { providers } from "@tollgate/providers/registry";
import { chooseProvider } from "../request/choose-provider.ts";
import type { Endpoint, Parsed, Routed } from "../request/routed.ts";
import { queryFor } from "../request/split-url.ts";

/** Plans the exchange of a call that is not steered. */
export function route(parsed: Parsed, endpoint: Endpoint, request: Request, catalogue: Catalogue): Routed {
  const { bytes, body, summary } = parsed;
  const target = chooseProvider(summary.model, request.headers, catalogue);
  const provider = providers[target.provider];
  const { model } = target;
  const query = queryFor(endpoint, request);
  const exchange = planExchange(endpoint.dialect, provider, { body, bytes, summary, model, query });
  return { bytes, source: body, body, summary, provider, model, exchange, steering: null };
}
