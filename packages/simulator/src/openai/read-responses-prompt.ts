import { isJsonObject, type JsonObject } from "@tollgate/core/wire/json-fields";
import { countTokens, MEDIA_TOKENS } from "../count-tokens.ts";
import { listOf, numberOrNull, objectOf, textOf } from "../json-object.ts";
import type { AnswerFormat, Effort, Prompt, PromptTool, ToolChoice } from "../prompt.ts";
import { contentText, isTurn, mediaCount } from "./read-chat-prompt.ts";

const TOKENS_PER_ITEM = 3;

/** A plain string is one user message. */
export function inputItems(input: unknown): JsonObject[] {
  if (typeof input === "string") return [{ type: "message", role: "user", content: input }];
  return listOf(input).filter(isJsonObject);
}

/** `items` is the whole conversation, including that of `previous_response_id`. */
export function readResponsesPrompt(
  body: JsonObject,
  items: readonly JsonObject[],
  effort: Effort | null,
): Prompt {
  const turns = items.filter(isTurn);
  const last = turns.at(-1);
  const tools = listOf(body.tools).flatMap(readTool);
  return {
    model: textOf(body.model),
    inputTokens: items.reduce((sum, item) => sum + itemTokens(item), responsesPrefixTokens(body)),
    lastUserText: contentText(items.findLast(isUserWithText)?.content),
    toolResults: last?.type === "function_call_output" ? trailingOutputs(turns) : null,
    endsWithUser: last?.role === "user",
    tools,
    toolChoice: readChoice(body.tool_choice),
    parallelCalls: body.parallel_tool_calls !== false,
    speaksBeforeCalls: false,
    format: readFormat(objectOf(objectOf(body.text).format)),
    maxOutputTokens: numberOrNull(body.max_output_tokens),
    stop: [],
    effort,
  };
}

export function responsesPrefixTokens(body: JsonObject): number {
  const tools = listOf(body.tools);
  const instructions = textOf(body.instructions);
  return (
    (instructions === "" ? 0 : TOKENS_PER_ITEM + countTokens(instructions)) +
    (tools.length === 0 ? 0 : countTokens(JSON.stringify(tools)))
  );
}

function itemTokens(item: JsonObject): number {
  const text =
    contentText(item.content) + textOf(item.name) + textOf(item.arguments) + contentText(item.output);
  return TOKENS_PER_ITEM + countTokens(text) + mediaCount(item.content) * MEDIA_TOKENS;
}

function isUserWithText(item: JsonObject): boolean {
  return item.role === "user" && contentText(item.content) !== "";
}

function trailingOutputs(items: readonly JsonObject[]): string[] {
  const before = items.findLastIndex(item => item.type !== "function_call_output");
  return items.slice(before + 1).map(item => contentText(item.output));
}

function readTool(tool: unknown): PromptTool[] {
  const { type, name, parameters } = objectOf(tool);
  return type === "function" ? [{ name: textOf(name), schema: objectOf(parameters) }] : [];
}

function readChoice(choice: unknown): ToolChoice {
  if (choice === "none" || choice === "required") return choice;
  if (isJsonObject(choice) && choice.type === "function") return { name: textOf(choice.name) };
  return "auto";
}

function readFormat(format: JsonObject): AnswerFormat {
  if (format.type === "json_object") return { kind: "json" };
  if (format.type !== "json_schema") return { kind: "text" };
  return { kind: "schema", schema: objectOf(format.schema) };
}
