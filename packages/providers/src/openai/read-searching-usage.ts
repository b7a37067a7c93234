import { addUsage, type Usage } from "@tollgate/core/money/usage";
import { readChatUsage } from "./read-usage.ts";

/** Models that search the web for every answer: OpenAI bills the search, but no field of the answer reports it. */
const SEARCHING = /-search-(preview|api)/;

export function readSearchingUsage(usage: unknown, servedModel: string | null): Usage | null {
  const read = readChatUsage(usage);
  if (read === null || servedModel === null || !SEARCHING.test(servedModel)) return read;
  return addUsage(read, { web_searches: 1 });
}
