import type { Catalogue } from "../pricing/catalogue.ts";
import { isProviderId } from "../provider-id.ts";
import { type ModelFacts, modelFacts } from "./model-facts.ts";

/** By the name that a caller sends: `gpt-4o-mini`, or `openai/gpt-4o-mini`. null: no priced model has that name. */
export function findModel(catalogue: Catalogue, name: string, at: Date): ModelFacts | null {
  const slash = name.indexOf("/");
  const prefix = name.slice(0, Math.max(0, slash));
  if (isProviderId(prefix)) return modelFacts(catalogue, prefix, name.slice(slash + 1), at);
  const provider = catalogue.providerOf(name);
  return provider && modelFacts(catalogue, provider, name, at);
}
