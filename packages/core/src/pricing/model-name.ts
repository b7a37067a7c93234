import type { ProviderId } from "../provider-id.ts";
import { billingOf } from "./billing/registry.ts";
import { modelAliases } from "./model-aliases.ts";

/** As price lists write it: in lower case, without a provider's prefix. */
export function plainName(provider: ProviderId, model: string): string {
  return billingOf[provider].plainName(model.trim().toLowerCase());
}

/** For patterns over names: the model behind an alias, and the base model of a fine-tune. */
export function canonicalName(provider: ProviderId, model: string): string {
  const name = plainName(provider, model).replace(/^ft:/, "");
  return billingOf[provider].patternName(modelAliases[provider].get(name) ?? name);
}
