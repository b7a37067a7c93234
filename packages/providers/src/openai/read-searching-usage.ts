import { addUsage, type Usage } from "@tollgate/core/money/usage";
import { readChatUsage } from "./read-usage.ts";

/** Models that search the web for every answer: OpenAI bills the search, but no field of the answer reports it. */
const SEARCHING = /-search-(preview|api)/i;

export function readSearchingUsage(usage: unknown, model: string | null): Usage | null {
  const read = readChatUsage(usage);
  const certain = certainUsage(model);
  return read === null || certain === null ? read : addUsage(read, certain);
}

/** What an answer of this model costs in any case. */
export function certainUsage(model: string | null): Usage | null {
  return model !== null && SEARCHING.test(model) ? { web_searches: 1 } : null;
}
