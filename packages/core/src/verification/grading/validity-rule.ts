import type { JsonObject } from "../../wire/json-fields.ts";
import { parseJson } from "../../wire/parse-json.ts";
import type { ComparedRequest, ComparedToolCall, GivenAnswer } from "../compared-call.ts";
import { checkSchema, type Validity } from "./check-schema.ts";

/**
 * An answer that meets the request's requirements beats one that does not: JSON, JSON that fits a schema, calls of
 * existing tools with valid arguments. null: both do, neither does, or it cannot be decided.
 */
export function validityRule(
  request: ComparedRequest,
  production: GivenAnswer,
  candidate: GivenAnswer,
): number | null {
  const [before, after] = [validityOf(request, production), validityOf(request, candidate)];
  if (before === "valid" && after === "invalid") return -1;
  if (before === "invalid" && after === "valid") return 1;
  return null;
}

function validityOf(request: ComparedRequest, answer: GivenAnswer): Validity {
  if (answer.toolCalls.length > 0) return validityOfCalls(request, answer.toolCalls);
  const { toolChoice, output } = request;
  if (toolChoice.mode === "required" || toolChoice.mode === "tool") return "invalid";
  if (output.kind === "text") return "valid";
  return validityOfJson(answer.text, output.kind === "schema" ? output.schema : null);
}

function validityOfCalls(request: ComparedRequest, calls: readonly ComparedToolCall[]): Validity {
  const { toolChoice, tools } = request;
  if (toolChoice.mode === "none") return "invalid";
  if (toolChoice.mode === "tool" && calls.some(({ name }) => name !== toolChoice.name)) return "invalid";
  const each = calls.map((call): Validity => {
    const tool = tools.find(({ name }) => name === call.name);
    return tool === undefined ? "invalid" : validityOfJson(call.arguments, tool.parameters ?? anyObject);
  });
  return (
    each.find(validity => validity === "invalid") ?? each.find(validity => validity === "unknown") ?? "valid"
  );
}

const anyObject: JsonObject = { type: "object" };

function validityOfJson(text: string, schema: JsonObject | null): Validity {
  const value = parseJson(text);
  // Also if it is nested too deeply for the parser: a client could not read it either.
  if (value === undefined) return "invalid";
  return schema === null ? "valid" : checkSchema(schema, value);
}
