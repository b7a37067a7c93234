import type { CanonicalRequest, OutputFormat, ToolChoice } from "../canonical/request.ts";
import { completeSchema } from "./complete-schema.ts";
import { isClosedSchema } from "./is-closed-schema.ts";

/** The tool fields of a request. Without tools there are none: `tool_choice` alone is a 400. */
export function encodeTools(
  request: CanonicalRequest,
  takesParallelToolCalls: boolean,
): Record<string, unknown> {
  const { tools, toolChoice, parallelToolCalls } = request;
  if (tools === undefined || tools.length === 0) return {};
  return {
    tools: tools.map(tool => ({
      type: "function",
      function: {
        name: tool.name,
        ...(tool.description !== undefined && { description: tool.description }),
        ...(tool.parameters !== undefined && { parameters: completeSchema(tool.parameters) }),
        // Anthropic accepts strict tools with optional parameters; OpenAI rejects them.
        ...(tool.strict !== undefined && { strict: tool.strict && isClosedSchema(tool.parameters) }),
      },
    })),
    ...(toolChoice !== undefined && { tool_choice: encodeToolChoice(toolChoice) }),
    ...(parallelToolCalls !== undefined &&
      takesParallelToolCalls && { parallel_tool_calls: parallelToolCalls }),
  };
}

function encodeToolChoice(choice: ToolChoice): unknown {
  return choice.mode === "tool" ? { type: "function", function: { name: choice.name } } : choice.mode;
}

export function encodeOutputFormat(format: OutputFormat | undefined): Record<string, unknown> {
  if (format === undefined) return {};
  if (format.kind === "json") return { response_format: { type: "json_object" } };
  const { name, schema, strict } = format;
  return {
    response_format: {
      type: "json_schema",
      json_schema: { name, schema, ...(strict !== undefined && { strict }) },
    },
  };
}
