import { type Usage, usageOf } from "@tollgate/core/money/usage";
import { estimateTokens, unseenResultTokens } from "@tollgate/core/pricing/estimate";
import { toolResultBytes } from "@tollgate/core/pricing/measure-prompt";
import { countOf, type JsonObject, jsonObjectOf, listOf, nameOf } from "@tollgate/core/wire/json-fields";
import { isNoCount, splitInput, splitOutput } from "./read-usage.ts";

export type ToolCounts = Pick<Usage, "web_searches" | "file_searches">;

/**
 * The usage of a `response` object. Here `output_tokens` includes reasoning even at xAI, unlike in its chat format.
 * null while the response is still running.
 */
export function readResponsesUsage(response: JsonObject, tools: ToolCounts): Usage | null {
  const fields = jsonObjectOf(response.usage);
  const input = countOf(fields?.input_tokens);
  const output = countOf(fields?.output_tokens);
  if (input === undefined || output === undefined) return null;
  return usageOf({
    ...splitInput(input, fields?.input_tokens_details),
    ...splitOutput(output, fields?.output_tokens_details),
    ...tools,
  });
}

/** OpenAI's own number of searches, if reported: a failed search is an item too. */
export function countTools(response: JsonObject): ToolCounts {
  const items = countToolItems(response);
  const reported = countOf(jsonObjectOf(jsonObjectOf(response.tool_usage)?.web_search)?.num_requests);
  return {
    web_searches: reported ?? items.get("web_search_call") ?? 0,
    file_searches: items.get("file_search_call") ?? 0,
  };
}

/** OpenAI reports what its tools have used, but not as counts. */
export function hasUnreadableTools({ tool_usage: used }: JsonObject): boolean {
  const tools = jsonObjectOf(used);
  const drawn = jsonObjectOf(tools?.image_gen);
  const searches = jsonObjectOf(tools?.web_search)?.num_requests;
  return [searches, drawn?.input_tokens, drawn?.output_tokens].some(isNoCount);
}

/** `find` is the older name of `find_in_page`. */
const freeActions: ReadonlySet<unknown> = new Set(["open_page", "find_in_page", "find"]);

/** Opening a result page, or searching within it, is an item of the same type, but only searches are billed. */
export function countToolItems({ output }: JsonObject): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const entry of listOf(output) ?? []) {
    const item = jsonObjectOf(entry);
    const type = nameOf(item?.type);
    const action = jsonObjectOf(item?.action)?.type;
    if (type === undefined || freeActions.has(action)) continue;
    counts.set(type, (counts.get(type) ?? 0) + 1);
  }
  return counts;
}

/** Tools that the provider runs itself: the model reads the whole prompt again after each call. */
const ownTool = /^(web_search|x_search|file_search|code_interpreter|image_generation|mcp)_call$/;

/** Those after the first: for each, the tokens of results that it has read. */
export function readLaterIterations({ output }: JsonObject): number[] {
  return readToolResultTokens((listOf(output) ?? []).flatMap(item => readToolCall(item) ?? []));
}

function isOwnCall(item: unknown): boolean {
  return ownTool.test(nameOf(jsonObjectOf(item)?.type) ?? "");
}

/** The tokens of results that each iteration after the first has read. */
export function readToolResultTokens(calls: Iterable<ToolCall>): number[] {
  const iterations: number[] = [];
  let results = 0;
  for (const call of calls) {
    if (!isOwnCall(call)) continue;
    results += call.resultTokens;
    iterations.push(results);
  }
  return iterations;
}

/** The stored part of a server tool call: a generated image is megabytes long. */
export interface ToolCall extends JsonObject {
  readonly type: string;
  readonly action: unknown;
  /** Of a generated image. */
  readonly quality: unknown;
  readonly resultTokens: number;
}

/** null: not a call, or one that the client runs itself, which costs nothing. */
export function readToolCall(value: unknown): ToolCall | null {
  const item = jsonObjectOf(value);
  const type = nameOf(item?.type);
  if (item === undefined || type === undefined) return null;
  if (type === "function_call" || type === "custom_tool_call" || !type.endsWith("_call")) return null;
  return { type, action: item.action, quality: item.quality, resultTokens: resultTokens(item, type) };
}

/** An MCP server's results are in the item; those of other tools only if the request asked to include them. */
function resultTokens(item: JsonObject, type: string): number {
  const shown = item.output ?? item.outputs ?? item.results ?? null;
  if (shown === null) return unseenResultTokens(type.slice(0, -"_call".length));
  return estimateTokens(toolResultBytes(shown));
}

/** OpenAI echoes the request's tools in its answer. The preview search tool costs more on some models. */
export function readSearchTool({ tools }: JsonObject): string | null {
  const types = (listOf(tools) ?? []).map(tool => nameOf(jsonObjectOf(tool)?.type) ?? "");
  return types.some(type => type.startsWith("web_search_preview")) ? "web_search_preview" : null;
}
