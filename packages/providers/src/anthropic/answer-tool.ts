import type { JsonObject } from "@tollgate/core/wire/json-fields";

/**
 * Models without structured output are forced to call this tool, and its input is the answer. The name is reserved
 * because a decoder does not see the request: only the name distinguishes an answer from a call.
 */
export const answerToolName = "svc_structured_answer";

export function answerTool(schema: JsonObject): JsonObject {
  return {
    name: answerToolName,
    description: "Gives the final answer to the user, in the required form.",
    input_schema: { ...schema, type: "object" },
  };
}
