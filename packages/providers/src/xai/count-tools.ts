import { countOf, fieldsOf, type JsonFields } from "../json-fields.ts";
import { countToolItems, type ToolCounts } from "../openai/read-responses-usage.ts";

/**
 * Searches of the web and of X and runs of code cost the same, and are counted as one kind. xAI's own tally is believed
 * before the items: those show steps of a call, and under another tool's name. Other tools of xAI have prices of their
 * own, and answers that tell of those also state the whole bill.
 */
export function countTools(response: JsonFields): ToolCounts {
  const tally = fieldsOf(fieldsOf(response.usage)?.server_side_tool_usage_details);
  const items = countToolItems(response);
  const count = (tool: string) => (tally ? countOf(tally[`${tool}_calls`]) : items.get(`${tool}_call`)) ?? 0;
  return {
    web_searches: count("web_search") + count("x_search") + count("code_interpreter"),
    file_searches: count("file_search"),
  };
}
