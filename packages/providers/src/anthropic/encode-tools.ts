import type { JsonObject } from "@tollgate/core/wire/json-fields";
import { answerTool, answerToolName, refuseReservedName } from "../answer-tool.ts";
import type { CanonicalRequest, ToolDefinition } from "../canonical/request.ts";
import { cacheControl } from "./encode-content.ts";
import type { ModelCapabilities } from "./model-traits.ts";
import { countUnions, isAcceptedStrictly } from "./strict-schema.ts";

/**
 * Anthropic compiles all strict tools of a request into one grammar, and rejects one that is too large: seen from seven
 * tools on. OpenAI's clients mark every tool as strict, so this is a usual number.
 */
const MAX_STRICT_TOOLS = 5;
/** Of all strict tools together; nullable parameters are unions, too. */
const MAX_STRICT_UNIONS = 16;

interface EncodedTools {
  readonly tools: readonly JsonObject[];
  readonly toolChoice: JsonObject | undefined;
  /** The model must call a tool. */
  readonly isForced: boolean;
  /** What `toolChoice` cannot demand of this model. */
  readonly instruction?: string;
}

export function encodeTools(request: CanonicalRequest, capabilities: ModelCapabilities): EncodedTools {
  const definitions = request.tools ?? [];
  refuseReservedName(definitions);
  const strict = capabilities.structuredOutput ? findStrict(definitions) : new Set<ToolDefinition>();
  const tools = definitions.map(tool => encodeTool(tool, strict.has(tool)));
  const mode = request.toolChoice?.mode;
  const callsOnly = mode === "required" || mode === "tool";

  // If the caller itself forces a call, this turn does not give the structured answer.
  if (request.outputFormat?.kind === "schema" && !capabilities.structuredOutput && !callsOnly) {
    const mayCall = tools.length > 0 && mode !== "none";
    return {
      tools: [...tools, encodeTool(answerTool(request.outputFormat.schema), false)],
      toolChoice: {
        ...(mayCall ? { type: "any" } : { type: "tool", name: answerToolName }),
        // Two answers, or an answer beside a call, could not be merged into one.
        disable_parallel_tool_use: true,
      },
      isForced: true,
    };
  }
  // A tool choice without tools is a 400.
  if (tools.length === 0) return { tools, toolChoice: undefined, isForced: false };
  if (callsOnly && !capabilities.forcedTools) {
    const toolChoice = encodeToolChoice({ ...request, toolChoice: { mode: "auto" } });
    return { tools, toolChoice, isForced: false, instruction: forceInWords(request.toolChoice) };
  }
  return { tools, toolChoice: encodeToolChoice(request), isForced: callsOnly };
}

function forceInWords(choice: CanonicalRequest["toolChoice"]): string {
  const which = choice?.mode === "tool" ? `the tool \`${choice.name}\`` : "at least one tool";
  return `Your next answer must call ${which}. Do not answer with text alone.`;
}

/** The tools that stay strict: those with an accepted schema, unless there is too much for one grammar. */
function findStrict(definitions: readonly ToolDefinition[]): ReadonlySet<ToolDefinition> {
  const asked = definitions.filter(tool => tool.strict === true);
  if (asked.length > MAX_STRICT_TOOLS) return new Set();
  const accepted = asked.filter(tool => isAcceptedStrictly(inputSchema(tool)));
  const unions = accepted.reduce((sum, tool) => sum + countUnions(inputSchema(tool)), 0);
  return new Set(unions > MAX_STRICT_UNIONS ? [] : accepted);
}

function inputSchema({ parameters }: ToolDefinition): JsonObject {
  return { properties: {}, ...parameters, type: "object" };
}

function encodeTool(tool: ToolDefinition, isStrict: boolean): JsonObject {
  return {
    name: tool.name,
    ...(tool.description === undefined ? {} : { description: tool.description }),
    input_schema: inputSchema(tool),
    ...(isStrict ? { strict: true } : {}),
    ...cacheControl(tool),
  };
}

function encodeToolChoice({ toolChoice, parallelToolCalls }: CanonicalRequest): JsonObject | undefined {
  const oneAtATime = parallelToolCalls === false ? { disable_parallel_tool_use: true } : {};
  switch (toolChoice?.mode) {
    case undefined:
      return parallelToolCalls === false ? { type: "auto", ...oneAtATime } : undefined;
    case "auto":
      return { type: "auto", ...oneAtATime };
    case "none":
      return { type: "none" };
    case "required":
      return { type: "any", ...oneAtATime };
    case "tool":
      return { type: "tool", name: toolChoice.name, ...oneAtATime };
    default:
      return toolChoice satisfies never;
  }
}
