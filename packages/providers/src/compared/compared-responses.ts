import type {
  ComparedAnswer,
  ComparedOutput,
  ComparedRequest,
  ComparedTool,
  ComparedToolCall,
  ComparedToolChoice,
  ComparedTurn,
} from "@tollgate/core/verification/compared-call";
import {
  countOf,
  isJsonObject,
  type JsonObject,
  jsonObjectOf,
  listOf,
  nameOf,
} from "@tollgate/core/wire/json-fields";

/** The Responses API is never translated, so it has no canonical form: this reads the parts that graders need. */
export function comparedResponsesRequest(body: JsonObject): ComparedRequest {
  const instructions = nameOf(body.instructions);
  return {
    turns: [
      ...(instructions === undefined ? [] : [{ role: "system", text: instructions } as const]),
      ...turnsOf(body.input),
    ],
    tools: (listOf(body.tools) ?? []).flatMap(toTool),
    toolChoice: toToolChoice(body.tool_choice),
    output: toOutput(jsonObjectOf(jsonObjectOf(body.text)?.format)),
    maxOutputTokens: countOf(body.max_output_tokens) ?? null,
  };
}

export function comparedResponsesAnswer(response: unknown): ComparedAnswer {
  const answer = jsonObjectOf(response);
  const output = listOf(answer?.output);
  if (output === undefined || answer?.status === "failed") return { kind: "failed" };
  const texts: string[] = [];
  const toolCalls: ComparedToolCall[] = [];
  let isRefused = jsonObjectOf(answer?.incomplete_details)?.reason === "content_filter";
  for (const item of output.filter(isJsonObject)) {
    if (item.type === "function_call") {
      toolCalls.push({ name: nameOf(item.name) ?? "", arguments: nameOf(item.arguments) ?? "{}" });
    }
    if (item.type !== "message") continue;
    for (const part of (listOf(item.content) ?? []).filter(isJsonObject)) {
      if (part.type === "refusal") isRefused = true;
      const text = nameOf(part.text);
      if (text !== undefined) texts.push(text);
    }
  }
  return isRefused ? { kind: "refused" } : { kind: "given", text: texts.join(""), toolCalls };
}

function turnsOf(input: unknown): ComparedTurn[] {
  if (typeof input === "string") return [{ role: "user", text: input }];
  return (listOf(input) ?? []).filter(isJsonObject).flatMap((item): ComparedTurn[] => {
    switch (item.type) {
      case "function_call":
        return [
          {
            role: "assistant",
            text: `[calls ${nameOf(item.name) ?? ""} with ${nameOf(item.arguments) ?? "{}"}]`,
          },
        ];
      case "function_call_output":
        return [{ role: "tool", text: textOf(item.output) }];
      case "message":
      case undefined:
        return [{ role: roleOf(item.role), text: textOf(item.content) }];
      default:
        return [];
    }
  });
}

function roleOf(role: unknown): ComparedTurn["role"] {
  if (role === "assistant") return "assistant";
  return role === "system" || role === "developer" ? "system" : "user";
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return (listOf(content) ?? [])
    .filter(isJsonObject)
    .map(part => nameOf(part.text) ?? `[${nameOf(part.type) ?? "part"}]`)
    .join("\n");
}

function toTool(tool: unknown): ComparedTool[] {
  const declared = jsonObjectOf(tool);
  const name = nameOf(declared?.name);
  if (declared?.type !== "function" || name === undefined) return [];
  return [{ name, parameters: jsonObjectOf(declared.parameters) ?? null }];
}

function toToolChoice(choice: unknown): ComparedToolChoice {
  if (choice === "none" || choice === "required") return { mode: choice };
  const name = nameOf(jsonObjectOf(choice)?.name);
  return name === undefined ? { mode: "auto" } : { mode: "tool", name };
}

function toOutput(format: JsonObject | undefined): ComparedOutput {
  if (format?.type === "json_object") return { kind: "json" };
  const schema = jsonObjectOf(format?.schema);
  return format?.type === "json_schema" && schema !== undefined
    ? { kind: "schema", schema }
    : { kind: "text" };
}
