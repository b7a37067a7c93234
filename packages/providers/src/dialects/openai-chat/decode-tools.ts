import { fail } from "@tollgate/core/errors";
import { type JsonObject, jsonObjectOf, listOf, nameOf } from "@tollgate/core/wire/json-fields";
import type { CanonicalRequest, ToolChoice, ToolDefinition } from "../../canonical/request.ts";
import { cacheControl } from "./decode-parts.ts";
import {
  invalid,
  readBoolean,
  readList,
  readObject,
  readString,
  requireObject,
  requireString,
} from "./request-fields.ts";

type ToolFields = Pick<CanonicalRequest, "tools" | "toolChoice" | "parallelToolCalls">;

export function decodeTools(body: JsonObject): ToolFields {
  const tools = (readList(body, "tools") ?? []).map((tool, position) =>
    decodeTool(tool, `tools[${position}]`),
  );
  const parallelToolCalls = readBoolean(body, "parallel_tool_calls");
  const choice = body.tool_choice;
  const parallel = parallelToolCalls === undefined ? {} : { parallelToolCalls };
  const allowed = decodeAllowedTools(choice);
  if (allowed !== undefined) {
    const kept = tools.filter(tool => allowed.names.has(tool.name));
    return { tools: kept, toolChoice: { mode: allowed.mode }, ...parallel };
  }
  return {
    ...(tools.length > 0 && { tools }),
    ...(choice !== undefined && choice !== null && { toolChoice: decodeToolChoice(choice) }),
    ...parallel,
  };
}

function decodeTool(entry: unknown, path: string): ToolDefinition {
  const tool = requireObject(entry, path);
  if (tool.type !== "function")
    throw fail("unsupported_feature", `\`${path}.type\` must be \`function\` for this provider`);
  const at = `${path}.function`;
  const definition = requireObject(tool.function, at);
  const description = readString(definition, "description", `${at}.description`);
  const parameters = readObject(definition, "parameters", `${at}.parameters`);
  const strict = readBoolean(definition, "strict", `${at}.strict`);
  return {
    name: requireString(definition, "name", `${at}.name`),
    ...(description !== undefined && { description }),
    ...(parameters !== undefined && { parameters }),
    ...(strict !== undefined && { strict }),
    ...cacheControl(definition),
    ...cacheControl(tool),
  };
}

function decodeToolChoice(choice: unknown): ToolChoice {
  if (choice === "auto" || choice === "none" || choice === "required") return { mode: choice };
  const fields = jsonObjectOf(choice);
  if (fields?.type === "custom") throw fail("unsupported_feature", "`tool_choice` names a custom tool");
  const name = nameOf(jsonObjectOf(fields?.function)?.name);
  if (name === undefined)
    throw invalid("tool_choice", "must be `auto`, `none`, `required`, or name a function");
  return { mode: "tool", name };
}

/** No other provider has a list of allowed tools; omitting the others is equivalent. */
function decodeAllowedTools(
  choice: unknown,
): { mode: "auto" | "required"; names: ReadonlySet<string> } | undefined {
  const fields = jsonObjectOf(choice);
  if (fields?.type !== "allowed_tools") return undefined;
  const allowed = requireObject(fields.allowed_tools, "tool_choice.allowed_tools");
  const names = new Set<string>();
  for (const entry of listOf(allowed.tools) ?? []) {
    const name = nameOf(jsonObjectOf(jsonObjectOf(entry)?.function)?.name);
    if (name === undefined) throw invalid("tool_choice.allowed_tools.tools", "must name functions");
    names.add(name);
  }
  return { mode: allowed.mode === "required" ? "required" : "auto", names };
}
