import { fail, TollgateError } from "@tollgate/core/errors";
import type { Catalogue } from "@tollgate/core/pricing/catalogue";
import { isProviderId, type ProviderId, providerIds } from "@tollgate/core/provider-id";
import type { Target } from "@tollgate/core/steering";

const MAX_MODEL_LENGTH = 256;

/** By `X-Provider`, otherwise by a `provider/` prefix, otherwise by the catalogue. */
export function chooseProvider(name: string, headers: Headers, catalogue: Catalogue): Target {
  const target = findTarget(name, readForcedProvider(headers), catalogue);
  if (target instanceof TollgateError) throw target;
  return target;
}

/** The provider that the caller requires; null: the gateway chooses. */
export function readForcedProvider(headers: Headers): ProviderId | null {
  const value = headers.get("x-provider");
  if (value === null) return null;
  const id = value.trim().toLowerCase();
  if (isProviderId(id)) return id;
  throw fail("unknown_provider", `X-Provider must be one of ${providerIds.join(", ")}`, {
    supported_providers: providerIds,
  });
}

/** Where a model is served, or why the gateway refuses it. */
export function findTarget(
  name: string,
  forced: ProviderId | null,
  catalogue: Catalogue,
): Target | TollgateError {
  if (!isModelName(name)) {
    return fail("invalid_request", `model must be 1 to ${MAX_MODEL_LENGTH} printable ASCII characters`);
  }
  const slash = name.indexOf("/");
  const prefix = name.slice(0, slash);
  if (slash > 0 && isProviderId(prefix) && (forced === null || forced === prefix)) {
    const model = name.slice(slash + 1);
    if (model === "") return fail("invalid_request", "model names a provider but no model");
    return { provider: prefix, model };
  }
  const provider = forced ?? catalogue.providerOf(name);
  if (provider) return { provider, model: name };
  return fail("unsupported_model", "no provider serves this model", {
    model: name,
    supported_providers: providerIds,
  });
}

/** Names are stored, sent in paths and displayed. No provider uses other characters. */
function isModelName(name: string): boolean {
  return name.length <= MAX_MODEL_LENGTH && /^[\x20-\x7e]+$/.test(name);
}
