import { fail } from "@tollgate/core/errors";
import type { Catalogue } from "@tollgate/core/pricing/catalogue";
import { isProviderId, type ProviderId, providerIds } from "@tollgate/core/provider-id";
import type { Target } from "@tollgate/core/steering";
import { planExchange } from "@tollgate/providers/exchange";
import { providers } from "@tollgate/providers/registry";
import type { Endpoint, Parsed, Routed, Steering } from "../call/call.ts";
import { splitUrl } from "../request/split-url.ts";

const MAX_MODEL_LENGTH = 256;

export function route(
  parsed: Parsed,
  steering: Steering | null,
  endpoint: Endpoint,
  request: Request,
  catalogue: Catalogue,
): Routed {
  const { bytes } = parsed;
  const query = endpoint.forwardsQuery ? splitUrl(request.url).query : "";
  if (steering !== null) {
    const { target, body, summary, plan } = steering;
    const provider = providers[target.provider];
    const { model } = target;
    const planned = { body, bytes, source: parsed.body, summary, model, query, steered: plan };
    const exchange = planExchange(endpoint.dialect, provider, planned);
    return { bytes, source: parsed.body, body, summary, provider, model, exchange, steering };
  }
  const { body, summary } = parsed;
  const forced = request.headers.get("x-provider");
  const { provider: id, model } = chooseProvider(summary.model, forced, catalogue);
  const provider = providers[id];
  const exchange = planExchange(endpoint.dialect, provider, { body, bytes, summary, model, query });
  return { bytes, source: parsed.body, body, summary, provider, model, exchange, steering };
}

export function chooseProvider(name: string, forced: string | null, catalogue: Catalogue): Target {
  if (!isModelName(name)) {
    throw fail("invalid_request", `model must be 1 to ${MAX_MODEL_LENGTH} printable ASCII characters`);
  }
  const provider = forced === null ? null : toProviderId(forced);
  const slash = name.indexOf("/");
  const prefix = name.slice(0, slash);
  if (slash > 0 && isProviderId(prefix) && (provider === null || provider === prefix)) {
    const model = name.slice(slash + 1);
    if (model === "") throw fail("invalid_request", "model names a provider but no model");
    return { provider: prefix, model };
  }
  const chosen = provider ?? catalogue.providerOf(name);
  if (chosen) return { provider: chosen, model: name };
  throw fail("unsupported_model", "no provider serves this model", {
    model: name,
    supported_providers: providerIds,
  });
}

/** The provider that the caller chose; null: it left the choice to us. */
export function readForcedProvider(headers: Headers): ProviderId | null {
  const value = headers.get("x-provider");
  return value === null ? null : toProviderId(value);
}

function toProviderId(value: string): ProviderId {
  const id = value.trim().toLowerCase();
  if (isProviderId(id)) return id;
  throw fail("unknown_provider", `X-Provider must be one of ${providerIds.join(", ")}`, {
    supported_providers: providerIds,
  });
}

/** Names are stored, sent in paths and shown: what no provider has ever used in one is not let through. */
function isModelName(name: string): boolean {
  return name.length <= MAX_MODEL_LENGTH && /^[\x20-\x7e]+$/.test(name);
}
