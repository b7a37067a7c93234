import { addUsage, type Usage } from "@tollgate/core/money/usage";
import { readChatUsage } from "./read-usage.ts";

/** Models that search the web for every answer: OpenAI bills the search, but no field of the answer reports it. */
const SEARCHING = /-search-(preview|api)/;

export function readSearchingUsage(usage: unknown, servedModel: string | null): Usage | null {
  const read = readChatUsage(usage);
  const certain = certainUsage(servedModel);
  return read === null || certain === null ? read : addUsage(read, certain);
}

/** What an answer of this model costs as soon as it has begun. */
export function certainUsage(servedModel: string | null): Usage | null {
  return servedModel !== null && SEARCHING.test(servedModel) ? { web_searches: 1 } : null;
}
