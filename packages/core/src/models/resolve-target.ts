import { fail } from "../errors.ts";
import type { Catalogue } from "../pricing/catalogue.ts";
import { isProviderId, providerIds } from "../provider-id.ts";
import type { Target } from "../steering.ts";
import { modelFacts } from "./model-facts.ts";

/**
 * The provider and model of a caller's model name: `gpt-4o`, or `openai/gpt-4o`. A model without a price is refused,
 * because its cost could not be compared, as is one that is not suited to agent calls. The refusal names `field`.
 */
export function resolveTarget(field: string, asked: string, catalogue: Catalogue, at: Date): Target {
  // Provider model names are always lower case.
  const name = asked.toLowerCase();
  const slash = name.indexOf("/");
  const prefix = name.slice(0, Math.max(0, slash));
  const named = isProviderId(prefix) ? prefix : null;
  const model = named === null ? name : name.slice(slash + 1);
  const provider = named ?? catalogue.providerOf(model);
  if (provider === null || catalogue.find(provider, model) === null) {
    throw fail("unsupported_model", `${field}: no provider serves a model of that name at a known price`, {
      supported_providers: providerIds,
    });
  }
  if (modelFacts(catalogue, provider, model, at)?.isGeneral !== true) {
    throw fail("invalid_request", `${field}: this model is not suited to agent calls`);
  }
  return { provider, model };
}

/** What a caller would send: with a prefix only if the bare name would be routed elsewhere. */
export function targetName({ provider, model }: Target, catalogue: Catalogue): string {
  return catalogue.providerOf(model) === provider ? model : `${provider}/${model}`;
}
