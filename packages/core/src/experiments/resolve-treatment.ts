import { fail } from "../errors.ts";
import { modelFacts } from "../models/model-facts.ts";
import type { Catalogue } from "../pricing/catalogue.ts";
import { isProviderId, providerIds } from "../provider-id.ts";

/**
 * The name that the gateway routes by. A model without a price is refused, because its cost could not be compared.
 * `openai/gpt-4o` keeps its prefix only if the bare name would go to another provider.
 */
export function resolveTreatment(asked: string, catalogue: Catalogue, at: Date): string {
  // Provider model names are always lower case.
  const name = asked.toLowerCase();
  const slash = name.indexOf("/");
  const prefix = name.slice(0, Math.max(0, slash));
  const named = isProviderId(prefix) ? prefix : null;
  const model = named === null ? name : name.slice(slash + 1);
  const provider = named ?? catalogue.providerOf(model);
  if (provider === null || catalogue.find(provider, model) === null) {
    throw fail(
      "unsupported_model",
      "treatment_model: no provider serves a model of that name at a known price",
      {
        supported_providers: providerIds,
      },
    );
  }
  if (modelFacts(catalogue, provider, model, at)?.isGeneral !== true) {
    throw fail("invalid_request", "treatment_model: this model is not suited to agent calls");
  }
  return catalogue.providerOf(model) === provider ? model : `${provider}/${model}`;
}
