import { fail } from "@tollgate/core/errors";
import type { JsonObject } from "@tollgate/core/wire/json-fields";
import type { CanonicalRequest, ToolDefinition } from "../canonical/request.ts";
import { answerTool, answerToolName } from "./answer-tool.ts";
import { cacheControl } from "./encode-content.ts";
import type { ModelCapabilities } from "./model-traits.ts";

interface EncodedTools {
  readonly tools: readonly JsonObject[];
  readonly toolChoice: JsonObject | undefined;
  /** The model must call a tool. */
  readonly isForced: boolean;
}

export function encodeTools(request: CanonicalRequest, capabilities: ModelCapabilities): EncodedTools {
  const definitions = request.tools ?? [];
  if (definitions.some(tool => tool.name === answerToolName)) {
    throw fail("invalid_request", `the tool name ${answerToolName} in \`tools\` is reserved`);
  }
  const tools = definitions.map(tool => encodeTool(tool, capabilities));
  const mode = request.toolChoice?.mode;
  const callsOnly = mode === "required" || mode === "tool";

  // If the caller itself forces a call, this turn does not give the structured answer.
  if (request.outputFormat?.kind === "schema" && !capabilities.structuredOutput && !callsOnly) {
    const mayCall = tools.length > 0 && mode !== "none";
    return {
      tools: [...tools, answerTool(request.outputFormat.schema)],
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

function encodeTool(tool: ToolDefinition, capabilities: ModelCapabilities): JsonObject {
  return {
    name: tool.name,
    ...(tool.description === undefined ? {} : { description: tool.description }),
    input_schema: { properties: {}, ...tool.parameters, type: "object" },
    ...(tool.strict !== undefined && capabilities.structuredOutput ? { strict: tool.strict } : {}),
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
