import { fail, type TollgateError } from "@tollgate/core/errors";
import type { JsonObject } from "@tollgate/core/wire/json-fields";
import type {
  CanonicalRequest,
  Effort,
  OutputFormat,
  ToolChoice,
  ToolDefinition,
} from "../../canonical/request.ts";
import { cacheControl } from "./decode-content.ts";
import { decodeMessages } from "./decode-messages.ts";
import { readField, requireObject, requireString } from "./read-field.ts";
import { summarize } from "./summarize.ts";

const efforts: ReadonlyMap<string, Effort> = new Map(
  (["low", "medium", "high", "xhigh", "max"] as const).map(effort => [effort, effort]),
);

/** Only for calls to other providers: what they cannot do is refused; mere tuning options of Anthropic are dropped. */
export function decodeRequest(body: JsonObject): CanonicalRequest {
  const { model, stream, maxOutputTokens } = summarize(body);
  refuseUnsupported(body);
  const toolChoice = readField.object(body, "tool_choice", "");
  const stop = readField.array(body, "stop_sequences", "");
  const metadata = readField.object(body, "metadata", "");
  return {
    model,
    stream,
    turns: decodeMessages(body.system, body.messages),
    ...defined("maxOutputTokens", maxOutputTokens ?? undefined),
    ...defined("temperature", readField.number(body, "temperature", "")),
    ...defined("topP", readField.number(body, "top_p", "")),
    ...defined("topK", readField.number(body, "top_k", "")),
    ...defined("stop", stop?.map(decodeStop)),
    ...defined("tools", readField.array(body, "tools", "")?.map(decodeTool)),
    ...defined("toolChoice", toolChoice && decodeToolChoice(toolChoice)),
    ...(toolChoice?.disable_parallel_tool_use === true ? { parallelToolCalls: false } : {}),
    ...defined("outputFormat", decodeOutputFormat(body)),
    ...defined("reasoning", decodeReasoning(body)),
    ...defined("serviceTier", decodeServiceTier(readField.string(body, "service_tier", ""))),
    ...defined("user", metadata && readField.string(metadata, "user_id", "metadata")),
  };
}

function defined<K extends string, T>(key: K, value: T | undefined): { [name in K]?: T } {
  // K is the object's only key.
  return value === undefined ? {} : ({ [key]: value } as { [name in K]: T });
}

function refuseUnsupported(body: JsonObject): void {
  if (body.thread !== undefined && body.thread !== null) throw threadUnsupported();
  if (body.max_tokens === 0) {
    throw fail(
      "unsupported_feature",
      "`max_tokens` 0 fills anthropic's cache; this model's provider has no such call",
    );
  }
  const servers = readField.array(body, "mcp_servers", "");
  if (servers && servers.length > 0) {
    throw fail(
      "unsupported_feature",
      "`mcp_servers` are reached by anthropic only, not by this model's provider",
    );
  }
  if (body.container !== undefined && body.container !== null) {
    throw fail("unsupported_feature", "`container` exists at anthropic only, not at this model's provider");
  }
  // Where data is processed may be a contractual promise; it must not be dropped like a tuning option.
  if (body.inference_geo !== undefined && body.inference_geo !== null) {
    throw fail("unsupported_feature", "`inference_geo` cannot be promised by this model's provider");
  }
}

/**
 * A conversation that Anthropic stores between turns. Its official tool runner requests one by default, and the next
 * turn sends only the tools' results: dropping the field would answer them without the question. On Anthropic's own
 * `error_code` the runner sends the whole conversation instead, so this one error has Anthropic's shape.
 */
function threadUnsupported(): TollgateError {
  const message = "`thread` is held by anthropic only; send the whole conversation to this model's provider";
  const details = { error_code: "thread_unsupported_request" };
  return fail("unsupported_feature", message, {
    type: "error",
    error: { type: "invalid_request_error", message, details },
  });
}

function decodeStop(value: unknown): string {
  if (typeof value !== "string")
    throw fail("invalid_request", "`stop_sequences` must be an array of strings");
  return value;
}

function decodeTool(value: unknown, index: number): ToolDefinition {
  const path = `tools[${index}]`;
  const tool = requireObject(value, path);
  const type = readField.string(tool, "type", path);
  if (type !== undefined && type !== "custom") {
    throw fail(
      "unsupported_feature",
      `the tool \`${type.slice(0, 64)}\` in \`tools\` is anthropic's own; this model's provider takes custom tools only`,
    );
  }
  return {
    name: requireString(tool, "name", path),
    ...defined("description", readField.string(tool, "description", path)),
    ...defined("parameters", readField.object(tool, "input_schema", path)),
    ...defined("strict", readField.boolean(tool, "strict", path)),
    ...cacheControl(tool),
  };
}

function decodeToolChoice(choice: JsonObject): ToolChoice {
  switch (choice.type) {
    case "auto":
      return { mode: "auto" };
    case "none":
      return { mode: "none" };
    case "any":
      return { mode: "required" };
    case "tool":
      return { mode: "tool", name: requireString(choice, "name", "tool_choice") };
    default:
      throw fail("invalid_request", "`tool_choice.type` must be auto, any, tool or none");
  }
}

/** `output_format` is the beta's name, before `output_config`. */
function decodeOutputFormat(body: JsonObject): OutputFormat | undefined {
  const config = readField.object(body, "output_config", "");
  const format =
    (config && readField.object(config, "format", "output_config")) ??
    readField.object(body, "output_format", "");
  if (!format) return undefined;
  if (format.type !== "json_schema")
    throw fail("invalid_request", "`output_config.format.type` must be json_schema");
  return {
    kind: "schema",
    name: "answer",
    schema: requireObject(format.schema, "output_config.format.schema"),
  };
}

function decodeReasoning(body: JsonObject): CanonicalRequest["reasoning"] {
  const config = readField.object(body, "output_config", "");
  const named = config && readField.string(config, "effort", "output_config");
  const effort = named === undefined ? undefined : efforts.get(named);
  if (named !== undefined && effort === undefined) {
    throw fail("invalid_request", "`output_config.effort` must be low, medium, high, xhigh or max");
  }
  const thinking = readField.object(body, "thinking", "");
  switch (thinking?.type) {
    case undefined:
      return effort === undefined ? undefined : { effort };
    case "disabled":
      return { effort: "none" };
    case "adaptive":
    case "between_tools":
      return { effort: effort ?? "high" }; // anthropic's default
    case "enabled": {
      const budgetTokens = thinking && readField.number(thinking, "budget_tokens", "thinking");
      if (budgetTokens === undefined || !Number.isSafeInteger(budgetTokens) || budgetTokens < 1) {
        throw fail("invalid_request", "`thinking.budget_tokens` must be a positive integer");
      }
      return { budgetTokens, ...defined("effort", effort) };
    }
    default:
      throw fail("invalid_request", "`thinking.type` must be enabled, adaptive, between_tools or disabled");
  }
}

/** The canonical names are OpenAI's; `standard_only` would be rejected anywhere else. */
function decodeServiceTier(tier: string | undefined): string | undefined {
  return tier === "standard_only" ? "default" : tier;
}
