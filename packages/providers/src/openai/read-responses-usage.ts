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

/** A shorter prompt is never cached. */
const LEAST_CACHED_TOKENS = 1024;

/**
 * OpenAI reports what its tools have used, but not as counts, not which of the cached tokens were images, or not how
 * many were cached: it omits that if it does not know.
 */
export function hasUnreadableTools({ tool_usage: used }: JsonObject): boolean {
  const tools = jsonObjectOf(used);
  const drawn = jsonObjectOf(tools?.image_gen);
  const searches = jsonObjectOf(tools?.web_search)?.num_requests;
  const cached = jsonObjectOf(drawn?.cached_tokens_details);
  const split = (countOf(cached?.cached_text_tokens) ?? 0) + (countOf(cached?.cached_image_tokens) ?? 0);
  return (
    [searches, drawn?.input_tokens, drawn?.output_tokens, drawn?.cached_tokens].some(isNoCount) ||
    ((drawn?.cached_tokens ?? null) === null && (countOf(drawn?.input_tokens) ?? 0) >= LEAST_CACHED_TOKENS) ||
    (countOf(drawn?.cached_tokens) ?? 0) > split
  );
}

/** `find` is the older name of `find_in_page`. */
const freeActions: ReadonlySet<unknown> = new Set(["open_page", "find_in_page", "find"]);

/**
 * By type, without calls that failed. Opening a result page, or searching within it, is an item of the same type as a
 * search; OpenAI does not bill it.
 */
export function countToolItems(
  { output }: JsonObject,
  free: ReadonlySet<unknown> = freeActions,
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const entry of listOf(output) ?? []) {
    const item = jsonObjectOf(entry);
    const type = nameOf(item?.type);
    const action = jsonObjectOf(item?.action)?.type;
    if (type === undefined || free.has(action) || item?.status === "failed") continue;
    counts.set(type, (counts.get(type) ?? 0) + 1);
  }
  return counts;
}

/** Those after the first: for each, the tokens of results that it has read. */
export function readLaterIterations({ output }: JsonObject): number[] {
  return readToolResultTokens((listOf(output) ?? []).flatMap(item => readToolItem(item) ?? []));
}

/**
 * The tokens of results that each iteration after the first has read. The model reads the whole prompt again after each
 * call that the provider runs itself. A result shows that it has run its call; what belongs to a call of an earlier
 * answer is read by the first iteration. What a program calls, it reads itself.
 */
export function readToolResultTokens(items: Iterable<ToolItem>): number[] {
  const calls = new Set<unknown>();
  const results = new Map<unknown, number>();
  for (const item of items) {
    const call = item.callId ?? item;
    if (item.callerId !== null) {
      // The program waits for the client, so the answer ends without another iteration.
      if (item.role === "client call") results.delete(item.callerId);
    } else if (item.role !== "result") {
      calls.add(call);
      if (item.role === "server call") results.set(call, item.resultTokens);
    } else if (calls.has(call)) results.set(call, item.resultTokens);
  }
  const sums: number[] = [];
  for (const tokens of results.values()) sums.push((sums.at(-1) ?? 0) + tokens);
  return sums;
}

/** The stored part of a tool call or of its result: a generated image is megabytes long. */
export interface ToolItem extends JsonObject {
  readonly type: string;
  readonly action: unknown;
  readonly status: unknown;
  /** Of a generated image. */
  readonly quality: unknown;
  /** Who runs the call. */
  readonly role: "server call" | "client call" | "result";
  /** null: it belongs to no other item. */
  readonly callId: string | null;
  /** The program that called the tool; null: the model did. */
  readonly callerId: string | null;
  readonly resultTokens: number;
}

/** null: neither a tool's call nor its result, or a model's call of a function, which the client runs and nobody bills. */
export function readToolItem(value: unknown): ToolItem | null {
  const item = jsonObjectOf(value);
  const type = nameOf(item?.type);
  if (item === undefined || type === undefined || !toolItem.test(type)) return null;
  const callerId = callerOf(item);
  if (callerId === null && (type === "function_call" || type === "custom_tool_call")) return null;
  return {
    type,
    action: item.action,
    status: item.status,
    quality: item.quality,
    role: type.endsWith("_output") ? "result" : isServerCall(item, type) ? "server call" : "client call",
    callId: nameOf(item.call_id) ?? null,
    callerId,
    resultTokens: resultTokens(item, type),
  };
}

const toolItem = /^program$|_(call|output)$/;
const serverCall = /^(program|(web_search|x_search|file_search|code_interpreter|image_generation|mcp)_call)$/;

/** Shells and searches for tools can be run by either side. */
function isServerCall({ execution, environment }: JsonObject, type: string): boolean {
  const place = jsonObjectOf(environment)?.type;
  return serverCall.test(type) || execution === "server" || place === "container_reference";
}

function callerOf({ caller }: JsonObject): string | null {
  const fields = jsonObjectOf(caller);
  return fields === undefined || fields.type === "direct" ? null : (nameOf(fields.caller_id) ?? "");
}

/**
 * A result is in an item of its own, or at an MCP server in that of the call; those of other tools are there only if the
 * request asked to include them.
 */
function resultTokens(item: JsonObject, type: string): number {
  const shown =
    item.output ?? item.outputs ?? item.results ?? (type === "program_output" ? item.result : null);
  if (shown === null || shown === undefined) return unseenResultTokens(type.replace(/_call$/, ""));
  return estimateTokens(toolResultBytes(shown));
}

/** OpenAI echoes the request's tools in its answer. The preview search tool costs more on some models. */
export function readSearchTool({ tools }: JsonObject): string | null {
  const types = (listOf(tools) ?? []).map(tool => nameOf(jsonObjectOf(tool)?.type) ?? "");
  return types.some(type => type.startsWith("web_search_preview")) ? "web_search_preview" : null;
}
