import type { ProviderId } from "../provider-id.ts";
import { billingOf } from "./billing/registry.ts";
import type { Catalogue } from "./catalogue.ts";
import { modelAliases } from "./model-aliases.ts";
import { plainName } from "./model-name.ts";
import { versionAtEnd } from "./revision.ts";

/**
 * Whether both name one model at one price: `gpt-4o` and `gpt-4o-2024-08-06`, `grok-4-latest` and `grok-4-0709`. A name
 * without a version matches each of its versions. Two versions are two models, since providers price them apart
 * (`gpt-3.5-turbo-0613` and `-1106`), and so are names that the catalogue lists apart (`gpt-4o` and `gpt-4o-2024-05-13`).
 */
export function isSameModel(
  catalogue: Pick<Catalogue, "find">,
  provider: ProviderId,
  a: string,
  b: string,
): boolean {
  if (a === b) return true;
  const [first, second] = [splitVersion(provider, a), splitVersion(provider, b)];
  if (first.name !== second.name) return false;
  const isOneVersion = first.version === second.version || first.version === "" || second.version === "";
  return isOneVersion && !areListedApart(catalogue, provider, a, b);
}

/** A fine-tune keeps its prefix: it costs more than its base model. */
function splitVersion(provider: ProviderId, model: string): { name: string; version: string } {
  const plain = plainName(provider, model);
  const name = billingOf[provider].patternName(modelAliases[provider].get(plain) ?? plain);
  const version = versionAtEnd.exec(name)?.[0] ?? "";
  return {
    name: name.slice(0, name.length - version.length).replace(/-latest$/, ""),
    version: version.replaceAll(/[-@:]/g, ""),
  };
}

function areListedApart(
  catalogue: Pick<Catalogue, "find">,
  provider: ProviderId,
  a: string,
  b: string,
): boolean {
  const [first, second] = [catalogue.find(provider, a), catalogue.find(provider, b)];
  return first !== null && second !== null && first.id !== second.id;
}
