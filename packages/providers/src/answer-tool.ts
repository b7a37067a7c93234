import { fail } from "@tollgate/core/errors";
import type { JsonObject } from "@tollgate/core/wire/json-fields";
import type { ToolDefinition } from "./canonical/request.ts";

/**
 * Models that cannot give a structured answer, or not beside tools, are forced to call this tool, and its input is the
 * answer. The name is reserved because a decoder does not see the request: only the name distinguishes an answer from a
 * call.
 */
export const answerToolName = "svc_structured_answer";

export function answerTool(schema: JsonObject): ToolDefinition {
  return {
    name: answerToolName,
    description: "Gives the final answer to the user, in the required form.",
    parameters: { ...schema, type: "object" },
  };
}

export function refuseReservedName(tools: readonly ToolDefinition[]): void {
  if (tools.some(tool => tool.name === answerToolName)) {
    throw fail("invalid_request", `the tool name ${answerToolName} in \`tools\` is reserved`);
  }
}
