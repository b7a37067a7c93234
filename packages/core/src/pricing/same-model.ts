import type { ProviderId } from "../provider-id.ts";
import { canonicalName } from "./model-name.ts";

/**
 * What a provider appends to a model's name for one version of it: a date, a number of three or four digits (`-001`,
 * `-0709`), `-latest`. Shorter numbers name another model: `claude-opus-4` and `claude-opus-4-1`.
 */
const VERSION = /[-@](latest|20\d\d-?\d\d-?\d\d|\d{2}-(\d{2}|20\d\d)|\d{3,4}|v\d+(:\d+)?)$/;

/** Whether both are names of one model: `gpt-4o` and `gpt-4o-2024-08-06`, `grok-4-latest` and `grok-4-0709`. */
export function isSameModel(provider: ProviderId, a: string, b: string): boolean {
  return a === b || unversioned(provider, a) === unversioned(provider, b);
}

function unversioned(provider: ProviderId, model: string): string {
  return canonicalName(provider, model).replace(VERSION, "");
}
