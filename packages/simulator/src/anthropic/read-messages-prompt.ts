import { isJsonObject, type JsonObject } from "@tollgate/core/wire/json-fields";
import { listOf, numberOrNull, objectOf, textOf } from "../json-object.ts";
import type { AnswerFormat, Effort, Prompt, PromptTool, ToolChoice } from "../prompt.ts";

export function readMessagesPrompt(body: JsonObject, inputTokens: number): Prompt {
  const messages = listOf(body.messages).map(objectOf);
  // Newer models accept system messages anywhere; the question comes before them.
  const last = messages.findLast(({ role }) => role !== "system");
  const results = last ? contentBlocks(last).filter(block => block.type === "tool_result") : [];
  const choice = objectOf(body.tool_choice);
  return {
    model: textOf(body.model),
    inputTokens,
    lastUserText: userTexts(messages).at(-1) ?? "",
    toolResults: results.length > 0 ? results.map(result => blocksText(blocksOf(result.content))) : null,
    endsWithUser: last?.role === "user" && results.length === 0,
    tools: listOf(body.tools).flatMap(readTool),
    toolChoice: readChoice(choice),
    parallelCalls: choice.disable_parallel_tool_use !== true,
    speaksBeforeCalls: choice.type === undefined || choice.type === "auto",
    format: readFormat(body),
    maxOutputTokens: numberOrNull(body.max_tokens),
    stop: listOf(body.stop_sequences).map(textOf),
    effort: readEffort(body),
  };
}

export function contentBlocks(message: JsonObject): JsonObject[] {
  return blocksOf(message.content);
}

export function blocksOf(content: unknown): JsonObject[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return listOf(content).filter(isJsonObject);
}

function blocksText(blocks: readonly JsonObject[]): string {
  return blocks.map(block => (block.type === "text" ? textOf(block.text) : "")).join("");
}

function userTexts(messages: readonly JsonObject[]): string[] {
  const users = messages.filter(message => message.role === "user");
  return users.map(message => blocksText(contentBlocks(message))).filter(text => text !== "");
}

function readTool(tool: unknown): PromptTool[] {
  const { type, name, input_schema: schema } = objectOf(tool);
  // Server tools (web search and the like) have their own types: they are never called here.
  if (type !== undefined && type !== "custom") return [];
  return [{ name: textOf(name), schema: objectOf(schema) }];
}

function readChoice(choice: JsonObject): ToolChoice {
  switch (choice.type) {
    case "none":
      return "none";
    case "any":
      return "required";
    case "tool":
      return { name: textOf(choice.name) };
    default:
      return "auto";
  }
}

function readFormat(body: JsonObject): AnswerFormat {
  const format = objectOf(objectOf(body.output_config).format ?? body.output_format);
  return format.type === "json_schema"
    ? { kind: "schema", schema: objectOf(format.schema) }
    : { kind: "text" };
}

function readEffort(body: JsonObject): Effort | null {
  const { type, budget_tokens: budget } = objectOf(body.thinking);
  if (type === "adaptive") {
    const asked = objectOf(body.output_config).effort;
    return asked === "low" || asked === "medium" || asked === "xhigh" || asked === "max" ? asked : "high";
  }
  if (type !== "enabled" || typeof budget !== "number" || !didBeginThinking(body)) return null;
  return budget < 4_096 ? "low" : budget < 16_384 ? "medium" : "high";
}

/**
 * A turn in progress (its calls are being answered) that started without thinking continues without it; this is not an
 * error.
 */
function didBeginThinking(body: JsonObject): boolean {
  const messages = listOf(body.messages).map(objectOf);
  const at = messages.findLastIndex(message => message.role === "assistant");
  const [assistant, next] = [messages[at], messages[at + 1]];
  const isOpen = assistant && (!next || contentBlocks(next)[0]?.type === "tool_result");
  const first = assistant ? textOf(contentBlocks(assistant)[0]?.type) : "";
  return !isOpen || first === "thinking" || first === "redacted_thinking";
}
