import { fail } from "@tollgate/core/errors";
import { isJsonObject, type JsonObject, jsonObjectOf, listOf, nameOf } from "@tollgate/core/wire/json-fields";
import type { AssistantPart, ToolCallPart, ToolResult, Turn } from "../../canonical/request.ts";
import { cacheControl, decodeText, decodeTextParts, decodeUserParts, parseDataUrl } from "./decode-parts.ts";
import { decodeReasoning } from "./reasoning-extension.ts";
import { invalid, readList, readString, requireObject, requireString } from "./request-fields.ts";

/** Results for one assistant turn become one turn, each with the name of its call. */
export function decodeMessages(messages: readonly unknown[]): Turn[] {
  const turns: Turn[] = [];
  const callNames = new Map<string, string>();
  let results: ToolResult[] | undefined;
  for (const [position, entry] of messages.entries()) {
    const path = `messages[${position}]`;
    const message = requireObject(entry, path);
    if (message.role === "tool") {
      if (results === undefined) {
        results = [];
        turns.push({ role: "tool", results });
      }
      results.push(decodeToolResult(message, path, callNames));
      continue;
    }
    results = undefined;
    turns.push(decodeTurn(message, path, callNames));
  }
  return turns;
}

function decodeTurn(message: JsonObject, path: string, callNames: Map<string, string>): Turn {
  switch (message.role) {
    case "system":
    case "developer":
      return { role: "system", parts: decodeTextParts(message, path) };
    case "user":
      return { role: "user", parts: decodeUserParts(message, path) };
    case "assistant": {
      const parts = decodeAssistant(message, path);
      for (const part of parts) if (part.kind === "tool_call") callNames.set(part.id, part.name);
      return { role: "assistant", parts };
    }
    case "function":
      throw fail("unsupported_feature", `\`${path}\` uses legacy functions; use role \`tool\``);
    default:
      throw invalid(`${path}.role`, "must be one of developer, system, user, assistant, tool");
  }
}

function decodeToolResult(
  message: JsonObject,
  path: string,
  callNames: ReadonlyMap<string, string>,
): ToolResult {
  const callId = requireString(message, "tool_call_id", `${path}.tool_call_id`);
  const { cache_control: _, ...unmarked } = message;
  return {
    callId,
    name: callNames.get(callId),
    content: decodeUserParts(unmarked, path),
    isError: false, // this format cannot express errors
    ...cacheControl(message),
  };
}

function decodeAssistant(message: JsonObject, path: string): AssistantPart[] {
  if (message.function_call !== undefined && message.function_call !== null)
    throw fail("unsupported_feature", `\`${path}.function_call\` is legacy; use \`tool_calls\``);
  if (message.audio !== undefined && message.audio !== null)
    throw fail("unsupported_feature", `\`${path}.audio\` names audio that only OpenAI has`);
  const parts: AssistantPart[] = decodeReasoning(message);
  const { content } = message;
  let signature = signatureOf(message); // of the first text
  if (typeof content === "string") {
    if (content !== "") parts.push({ kind: "text", text: content, ...cacheControl(message), ...signature });
  } else if (Array.isArray(content)) {
    for (const [position, entry] of content.entries()) {
      const part = decodeAssistantPart(entry, `${path}.content[${position}]`);
      parts.push(part.kind === "text" ? { ...part, ...signature } : part);
      if (part.kind === "text") signature = {};
    }
  } else if (content !== undefined && content !== null) {
    throw invalid(`${path}.content`, "must be a string, an array of parts, or null");
  }
  const refusal = readString(message, "refusal", `${path}.refusal`);
  if (refusal !== undefined && refusal !== "") parts.push({ kind: "refusal", text: refusal });
  parts.push(...(listOf(message.images) ?? []).flatMap(decodeGeneratedImage));
  for (const [position, entry] of (readList(message, "tool_calls", `${path}.tool_calls`) ?? []).entries())
    parts.push(decodeToolCall(entry, `${path}.tool_calls[${position}]`));
  return parts;
}

function decodeAssistantPart(entry: unknown, path: string): AssistantPart {
  const part = requireObject(entry, path);
  if (part.type === "text") return decodeText(part, path);
  if (part.type === "refusal")
    return { kind: "refusal", text: requireString(part, "refusal", `${path}.refusal`) };
  throw invalid(`${path}.type`, "must be `text` or `refusal` in an assistant message");
}

function decodeToolCall(entry: unknown, path: string): ToolCallPart {
  const call = requireObject(entry, path);
  if (call.type === "custom") throw fail("unsupported_feature", `\`${path}\` calls a custom tool`);
  const called = requireObject(call.function, `${path}.function`);
  return {
    kind: "tool_call",
    id: requireString(call, "id", `${path}.id`),
    name: requireString(called, "name", `${path}.function.name`),
    arguments: decodeArguments(called.arguments, `${path}.function.arguments`),
    ...signatureOf(call),
  };
}

/** Images of an earlier answer, as this gateway returns them. Any other shape is a foreign extension, and ignored. */
function decodeGeneratedImage(entry: unknown): AssistantPart[] {
  const image = jsonObjectOf(entry);
  const inline = parseDataUrl(nameOf(jsonObjectOf(image?.image_url)?.url) ?? "");
  if (image === undefined || inline === undefined) return [];
  return [{ kind: "generated_image", ...inline, ...signatureOf(image) }];
}

function signatureOf(carrier: JsonObject): { signature?: string } {
  const signature = nameOf(jsonObjectOf(jsonObjectOf(carrier.extra_content)?.google)?.thought_signature);
  return signature === undefined ? {} : { signature };
}

/**
 * Other providers need an object where this format has text. A model's own malformed text stays in the history for
 * good, so refusing it would end the conversation: it is wrapped under the name that Anthropic's documentation suggests.
 */
function decodeArguments(text: unknown, path: string): string {
  if (text === undefined || text === null || text === "") return "{}";
  if (typeof text !== "string") throw invalid(path, "must be a string");
  return isObjectText(text) ? text : JSON.stringify({ INVALID_JSON: text });
}

function isObjectText(text: string): boolean {
  try {
    return isJsonObject(JSON.parse(text));
  } catch {
    return false;
  }
}
