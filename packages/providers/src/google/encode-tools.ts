import { jsonObjectOf } from "@tollgate/core/wire/json-fields";
import type { ToolChoice, ToolDefinition } from "../canonical/request.ts";

interface FunctionCallingConfig {
  readonly mode: "AUTO" | "ANY" | "NONE" | "VALIDATED";
  readonly allowedFunctionNames?: readonly string[];
}

interface EncodedTools {
  readonly tools?: readonly { readonly functionDeclarations: readonly object[] }[];
  readonly toolConfig?: { readonly functionCallingConfig: FunctionCallingConfig };
}

export function encodeTools(
  tools: readonly ToolDefinition[] | undefined,
  choice: ToolChoice | undefined,
): EncodedTools {
  if (tools === undefined || tools.length === 0) return {};
  const config = encodeChoice(
    choice,
    tools.some(tool => tool.strict === true),
  );
  return {
    tools: [{ functionDeclarations: tools.map(encodeTool) }],
    ...(config && { toolConfig: { functionCallingConfig: config } }),
  };
}

function encodeTool(tool: ToolDefinition): object {
  return {
    name: tool.name,
    ...(tool.description !== undefined && { description: tool.description }),
    ...(tool.parameters && !takesNothing(tool.parameters) && { parametersJsonSchema: tool.parameters }),
  };
}

/** At Google `strict` applies to the whole request, and a forced call already follows its schema. */
function encodeChoice(choice: ToolChoice | undefined, strict: boolean): FunctionCallingConfig | null {
  switch (choice?.mode) {
    case undefined:
      return strict ? { mode: "VALIDATED" } : null;
    case "auto":
      return { mode: strict ? "VALIDATED" : "AUTO" };
    case "none":
      return { mode: "NONE" };
    case "required":
      return { mode: "ANY" };
    case "tool":
      return { mode: "ANY", allowedFunctionNames: [choice.name] };
    default:
      return choice satisfies never;
  }
}

const wordsWithoutParameters = new Set(["type", "properties", "required", "title", "description", "$schema"]);

/** Other providers express "no parameters" as an empty object schema; for Google the schema is omitted. */
function takesNothing(schema: Readonly<Record<string, unknown>>): boolean {
  if (schema.type !== undefined && schema.type !== "object") return false;
  if (Object.keys(jsonObjectOf(schema.properties) ?? {}).length > 0) return false;
  return Object.entries(schema).every(
    ([word, value]) =>
      wordsWithoutParameters.has(word) || (word === "additionalProperties" && value === false),
  );
}
