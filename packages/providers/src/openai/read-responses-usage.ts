import { type Usage, usageOf } from "@tollgate/core/usage";
import { countOf, fieldsOf, type JsonFields, listOf } from "../json-fields.ts";
import { splitInput, splitOutput } from "./read-usage.ts";

/**
 * The usage of a `response` object. Here `output_tokens` contains reasoning at xAI too, unlike in its chat format.
 * null while the response is still running.
 */
export function readResponsesUsage(response: JsonFields): Usage | null {
  const fields = fieldsOf(response.usage);
  const input = countOf(fields?.input_tokens);
  const output = countOf(fields?.output_tokens);
  if (input === undefined || output === undefined) return null;
  return usageOf({
    ...splitInput(input, fields?.input_tokens_details),
    ...splitOutput(output, fields?.output_tokens_details),
    ...countSearches(listOf(response.output) ?? []),
    ...countedSearches(response),
  });
}

/** OpenAI's own number of them, where it tells one: a search that failed is an item too. */
function countedSearches(response: JsonFields) {
  const searches = countOf(fieldsOf(fieldsOf(response.tool_usage)?.web_search)?.num_requests);
  return searches === undefined ? {} : { web_searches: searches };
}

/** Opening a found page, or looking for words in it, is an item of the same type, but only a search is billed. */
export function countSearches(output: readonly unknown[]): { web_searches: number; file_searches: number } {
  let web = 0;
  let file = 0;
  for (const entry of output) {
    const item = fieldsOf(entry);
    if (item?.type === "file_search_call") file++;
    if (item?.type !== "web_search_call") continue;
    const action = fieldsOf(item.action)?.type;
    if (action !== "open_page" && action !== "find_in_page") web++;
  }
  return { web_searches: web, file_searches: file };
}
