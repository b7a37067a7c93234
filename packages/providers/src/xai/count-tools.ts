import { countOf, type JsonObject, jsonObjectOf } from "@tollgate/core/wire/json-fields";
import { countToolItems, type ToolCounts } from "../openai/read-responses-usage.ts";

/** Unlike OpenAI, xAI bills a page that the model opens like a search. */
const noFreeActions: ReadonlySet<unknown> = new Set();

/**
 * Web searches, X searches and code executions cost the same at xAI and are counted as one kind. xAI's own count takes
 * precedence over output items, which also list the steps of a call under another tool's name. xAI's other tools have
 * their own prices; answers that use them also state the billed amount.
 */
export function countTools(response: JsonObject): ToolCounts {
  const tally = jsonObjectOf(jsonObjectOf(response.usage)?.server_side_tool_usage_details);
  const items = countToolItems(response, noFreeActions);
  const count = (tool: string) => (tally ? countOf(tally[`${tool}_calls`]) : items.get(`${tool}_call`)) ?? 0;
  return {
    web_searches: count("web_search") + count("x_search") + count("code_interpreter"),
    file_searches: count("file_search"),
  };
}
