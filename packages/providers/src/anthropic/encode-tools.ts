import type { JsonObject } from "@tollgate/core/wire/json-fields";
import { answerTool, answerToolName, refuseReservedName } from "../answer-tool.ts";
import type { CanonicalRequest, ToolDefinition } from "../canonical/request.ts";
import { closeSchema } from "./close-schema.ts";
import { cacheControl } from "./encode-content.ts";
import type { ModelCapabilities } from "./model-traits.ts";

/**
 * Anthropic compiles all strict tools of a request into one grammar, and rejects one that is too large: seen from seven
 * tools on. OpenAI's clients mark every tool as strict, so this is a usual number.
 */
const MAX_STRICT_TOOLS = 5;

interface EncodedTools {
  readonly tools: readonly JsonObject[];
  readonly toolChoice: JsonObject | undefined;
  /** The model must call a tool. */
  readonly isForced: boolean;
}

export function encodeTools(request: CanonicalRequest, capabilities: ModelCapabilities): EncodedTools {
  const definitions = request.tools ?? [];
  refuseReservedName(definitions);
  const isFewStrict = definitions.filter(tool => tool.strict === true).length <= MAX_STRICT_TOOLS;
  const tools = definitions.map(tool => encodeTool(tool, capabilities.structuredOutput && isFewStrict));
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
  return { tools, toolChoice: encodeToolChoice(request), isForced: callsOnly };
}

function encodeTool(tool: ToolDefinition, takesStrict: boolean): JsonObject {
  const schema: JsonObject = { properties: {}, ...tool.parameters, type: "object" };
  return {
    name: tool.name,
    ...(tool.description === undefined ? {} : { description: tool.description }),
    input_schema: schema,
    ...(tool.strict === true && takesStrict && isAcceptedStrictly(schema) ? { strict: true } : {}),
    ...cacheControl(tool),
  };
}

/**
 * A strict tool's schema obeys the rules of structured output. Where it does not, the schema is kept and `strict` is
 * not: without its bounds a tool would accept anything, and Claude follows schemas that do not bind it, too.
 */
function isAcceptedStrictly(schema: JsonObject): boolean {
  return JSON.stringify(closeSchema(schema)) === JSON.stringify(schema);
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
