/**
 * An upper bound on what server tools (web search, code execution) can add to a call, for strict budgets. After each
 * use the model reads its whole context again, and some uses have a fee. Only a limit in the request bounds the number
 * of uses.
 */
import type { ProviderId } from "../provider-id.ts";
import { countOf, type JsonObject } from "../wire/json-fields.ts";

interface ToolUses {
  /** Maximum number of tool uses, each with its fee. */
  readonly uses: number;
  /** Maximum number of times that the model reads its context, including the first. */
  readonly iterations: number;
}

/** The message says what to set, if anything can be set. */
interface UnboundedTools {
  readonly sentence: string;
}

const NO_TOOLS: ToolUses = { uses: 0, iterations: 1 };
/** A chat model that searches does so once, before it answers. */
const ONE_SEARCH: ToolUses = { uses: 1, iterations: 1 };
/** A higher limit counts as none: that many iterations over the largest window would be a billion tokens. */
const MAX_USES = 400;
/** The answer after the last use, and an attempt beyond the limit, whose rejection is read again. */
const FURTHER_ITERATIONS = 2;

/** The client runs these itself. Any other tool is the provider's, or unknown. */
const clientTools: { readonly [provider in ProviderId]: RegExp } = {
  openai: /^(function|custom|local_shell|apply_patch|computer|computer_use_preview)$/,
  anthropic: /^(custom|function|(bash|text_editor|computer|memory)_\d+)$/,
  google: /^(function|custom)$/,
  xai: /^(function|custom)$/,
};

const searchingModel = /-search-(preview|api)/;

export function budgetToolBound(
  provider: ProviderId,
  model: string,
  body: JsonObject,
): ToolUses | UnboundedTools {
  const tools = Array.isArray(body.tools) ? body.tools.filter(tool => !isClients(provider, tool)) : [];
  const isElsewhere = hasToolsElsewhere(provider, body);
  if (tools.length === 0 && !isElsewhere) {
    const searches = provider === "openai" && (isSet(body.web_search_options) || searchingModel.test(model));
    return searches ? ONE_SEARCH : NO_TOOLS;
  }
  const limit = isElsewhere ? null : limitOf(provider, body, tools);
  if (limit !== null && limit <= MAX_USES) return { uses: limit, iterations: limit + FURTHER_ITERATIONS };
  return {
    sentence: `a strict budget cannot bound the provider's own tools in this call: ${remedies[provider]}`,
  };
}

const remedies: { readonly [provider in ProviderId]: string } = {
  openai: `set max_tool_calls (at most ${MAX_USES}), and use none but web_search, file_search and code_interpreter, and neither a stored prompt nor compaction`,
  anthropic: `set max_uses (at most ${MAX_USES} together) on web_search and web_fetch, allowed_callers to ["direct"] on versions that can be called from code, and use no others, no compaction and no fallbacks`,
  google: "they have no limit that could be set",
  xai: "they have no limit that could be set",
};

function limitOf(provider: ProviderId, body: JsonObject, tools: readonly unknown[]): number | null {
  switch (provider) {
    case "openai":
      return tools.every(isLimitedByCalls) ? (countOf(body.max_tool_calls) ?? null) : null;
    case "anthropic":
      return sumOfLimits(tools);
    case "google":
    case "xai":
      return null;
  }
}

/** `max_tool_calls` applies to OpenAI's own tools, not to MCP servers; the cost of a generated image is unlimited. */
function isLimitedByCalls(tool: unknown): boolean {
  return /^(web_search|file_search$|code_interpreter$)/.test(typeOf(tool));
}

function sumOfLimits(tools: readonly unknown[]): number | null {
  let sum = 0;
  for (const tool of tools) {
    const uses = /^web_(search|fetch)_/.test(typeOf(tool)) ? countOf(fieldOf(tool, "max_uses")) : undefined;
    if (uses === undefined || !isCalledDirectly(tool)) return null;
    sum += uses;
  }
  return sum;
}

/** Newer versions can be called from code that the provider runs, and no limit applies to that. */
function isCalledDirectly(tool: unknown): boolean {
  if (/^web_(search_20250305|fetch_20250910)$/.test(typeOf(tool))) return true;
  const callers = fieldOf(tool, "allowed_callers");
  return Array.isArray(callers) && callers.length > 0 && callers.every(caller => caller === "direct");
}

/** A tool of unknown shape does not count as the client's. */
function isClients(provider: ProviderId, tool: unknown): boolean {
  if (typeof tool !== "object" || tool === null || Array.isArray(tool) || isSet(fieldOf(tool, "tools"))) {
    return false;
  }
  const type = fieldOf(tool, "type");
  return type === undefined || (typeof type === "string" && clientTools[provider].test(type));
}

/** Tools declared outside `tools`, and models that may answer as well, each with its own prompt and answer. */
function hasToolsElsewhere(provider: ProviderId, body: JsonObject): boolean {
  if (hasEntries(body.mcp_servers) || compacts(body.context_management)) return true;
  if (provider === "anthropic" && hasEntries(body.fallbacks)) return true;
  if (isSet(body.tools) && !Array.isArray(body.tools)) return true;
  // A prompt stored at OpenAI may add its own tools.
  if (provider === "openai") return typeof body.prompt === "object" && body.prompt !== null;
  return provider === "xai" && (isSet(body.web_search_options) || searchesLive(body.search_parameters));
}

/** The provider writes a summary of the context, beyond `max_tokens`, and reads it again. */
function compacts(management: unknown): boolean {
  const edits = Array.isArray(management) ? management : fieldOf(management, "edits");
  return Array.isArray(edits) && edits.some(edit => typeOf(edit).startsWith("compact"));
}

/** Enabled unless explicitly disabled. */
function searchesLive(parameters: unknown): boolean {
  return isSet(parameters) && fieldOf(parameters, "mode") !== "off";
}

function hasEntries(list: unknown): boolean {
  return Array.isArray(list) ? list.length > 0 : isSet(list);
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function typeOf(tool: unknown): string {
  const type = fieldOf(tool, "type");
  return typeof type === "string" ? type : "";
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as JsonObject)[name] : undefined;
}
