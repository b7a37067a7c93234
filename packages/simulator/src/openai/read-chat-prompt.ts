import { isJsonObject, type JsonObject } from "@tollgate/core/wire/json-fields";
import { countTokens, MEDIA_TOKENS } from "../count-tokens.ts";
import { listOf, numberOrNull, objectOf, textOf } from "../json-object.ts";
import type { AnswerFormat, Effort, Prompt, PromptTool, ToolChoice } from "../prompt.ts";

const TOKENS_PER_MESSAGE = 3;

/** Reads a chat completions request; xAI uses the same format. */
export function readChatPrompt(body: JsonObject, effort: Effort | null): Prompt {
  const messages = listOf(body.messages).map(objectOf);
  const turns = messages.filter(isTurn).filter(isNotResultMedia);
  const last = turns.at(-1);
  const tools = listOf(body.tools).flatMap(readTool);
  const choice = readChoice(body.tool_choice, tools);
  return {
    model: textOf(body.model),
    inputTokens: messages.reduce((sum, message) => sum + messageTokens(message), toolTokens(body)),
    lastUserText: contentText(turns.findLast(isUserWithText)?.content),
    toolResults: last?.role === "tool" ? trailingResults(turns) : null,
    endsWithUser: last?.role === "user",
    tools: choice.tools,
    toolChoice: choice.choice,
    parallelCalls: body.parallel_tool_calls !== false,
    speaksBeforeCalls: false,
    format: readFormat(objectOf(body.response_format)),
    maxOutputTokens: numberOrNull(body.max_completion_tokens) ?? numberOrNull(body.max_tokens),
    stop: typeof body.stop === "string" ? [body.stop] : listOf(body.stop).map(textOf),
    effort,
  };
}

/** A turn that needs an answer; system messages may follow it. */
export function isTurn({ role }: JsonObject): boolean {
  return role !== "system" && role !== "developer";
}

/** A tool message takes no images, so clients send those of a result in a user message after it: not a new question. */
function isNotResultMedia(message: JsonObject, at: number, turns: readonly JsonObject[]): boolean {
  return message.role !== "user" || mediaCount(message.content) === 0 || turns[at - 1]?.role !== "tool";
}

/** The cacheable part before the conversation: system text and tools. */
export function chatPrefixTokens(body: JsonObject): number {
  const messages = listOf(body.messages).map(objectOf);
  const system = messages.filter(({ role }) => role === "system" || role === "developer");
  return system.reduce((sum, message) => sum + messageTokens(message), toolTokens(body));
}

function toolTokens(body: JsonObject): number {
  const tools = listOf(body.tools);
  return tools.length === 0 ? 0 : countTokens(JSON.stringify(tools));
}

function messageTokens(message: JsonObject): number {
  const calls = listOf(message.tool_calls);
  return (
    TOKENS_PER_MESSAGE +
    countTokens(contentText(message.content)) +
    countTokens(textOf(message.refusal)) +
    mediaCount(message.content) * MEDIA_TOKENS +
    (calls.length === 0 ? 0 : countTokens(JSON.stringify(calls)))
  );
}

export function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  const parts = listOf(content).map(objectOf);
  return parts.map(part => textOf(part.text) || textOf(part.refusal)).join("");
}

export function mediaCount(content: unknown): number {
  const parts = listOf(content).filter(isJsonObject);
  return parts.filter(part => /image|audio|file/.test(textOf(part.type))).length;
}

function isUserWithText(message: JsonObject): boolean {
  return message.role === "user" && contentText(message.content) !== "";
}

function trailingResults(messages: readonly JsonObject[]): string[] {
  const before = messages.findLastIndex(message => message.role !== "tool");
  return messages.slice(before + 1).map(message => contentText(message.content));
}

function readTool(tool: unknown): PromptTool[] {
  const { type, function: definition } = objectOf(tool);
  if (type !== "function" || !isJsonObject(definition)) return [];
  return [{ name: textOf(definition.name), schema: objectOf(definition.parameters) }];
}

function readChoice(
  choice: unknown,
  tools: readonly PromptTool[],
): { choice: ToolChoice; tools: readonly PromptTool[] } {
  if (choice === "none" || choice === "required") return { choice, tools };
  if (!isJsonObject(choice)) return { choice: "auto", tools };
  if (choice.type === "function") return { choice: { name: textOf(objectOf(choice.function).name) }, tools };
  const allowed = objectOf(choice.allowed_tools);
  const names = new Set(listOf(allowed.tools).map(tool => objectOf(objectOf(tool).function).name));
  const mode = allowed.mode === "required" ? "required" : "auto";
  return { choice: mode, tools: names.size === 0 ? tools : tools.filter(tool => names.has(tool.name)) };
}

function readFormat(format: JsonObject): AnswerFormat {
  if (format.type === "json_object") return { kind: "json" };
  if (format.type !== "json_schema") return { kind: "text" };
  return { kind: "schema", schema: objectOf(objectOf(format.json_schema).schema) };
}
