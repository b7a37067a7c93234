import { fail } from "@tollgate/core/errors";
import { parseExactly } from "@tollgate/core/wire/exact-json";
import { isJsonObject, type JsonObject } from "@tollgate/core/wire/json-fields";
import type { AssistantPart, ToolCallPart, ToolResult, Turn } from "../canonical/request.ts";
import { cacheControl, encodeText, encodeUserPart } from "./encode-content.ts";
import { ToolIds } from "./tool-ids.ts";

export interface WireMessage {
  readonly role: "user" | "assistant" | "system";
  readonly content: JsonObject[];
}

interface EncodedTurns {
  readonly system: JsonObject[];
  readonly messages: WireMessage[];
}

/**
 * Roles alternate, and every tool result is at the start of the user message that follows the call: anything else is a
 * 400, so whatever a client put between call and result moves behind the results.
 */
export function encodeTurns(turns: readonly Turn[], systemTurns: boolean): EncodedTurns {
  const firstOther = turns.findIndex(turn => turn.role !== "system");
  // A conversation of only system turns is valid elsewhere; here the last one has to become the question.
  const leading = firstOther === -1 ? Math.max(turns.length - 1, 0) : firstOther;

  const messages: WireMessage[] = [];
  const ids = new ToolIds();
  let betweenAnswers: Exclude<Turn, { role: "assistant" }>[] = [];
  const flush = () => {
    const results = betweenAnswers.flatMap(turn => (turn.role === "tool" ? turn.results : []));
    append(
      messages,
      "user",
      results.map(result => encodeToolResult(result, ids)),
    );
    for (const turn of betweenAnswers) {
      if (turn.role === "user") append(messages, "user", turn.parts.flatMap(encodeUserPart));
      // In mid-conversation, a model without system turns gets the text as a user turn.
      if (turn.role === "system") {
        append(
          messages,
          systemTurns && messages.length > 0 ? "system" : "user",
          turn.parts.flatMap(encodeText),
        );
      }
    }
    betweenAnswers = [];
  };

  for (const turn of turns.slice(leading)) {
    if (turn.role !== "assistant") {
      betweenAnswers.push(turn);
      continue;
    }
    flush();
    append(
      messages,
      "assistant",
      turn.parts.flatMap(part => encodeAssistantPart(part, ids)),
    );
  }
  flush();
  trimPrefill(messages);

  const system = turns
    .slice(0, leading)
    .flatMap(turn => (turn.role === "system" ? turn.parts.flatMap(encodeText) : []));
  return { system, messages };
}

function append(messages: WireMessage[], role: WireMessage["role"], blocks: readonly JsonObject[]): void {
  if (blocks.length === 0) return;
  const last = messages.at(-1);
  if (last?.role === role) for (const block of blocks) last.content.push(block);
  else messages.push({ role, content: [...blocks] });
}

/** A final assistant message is a prefill, and a prefill that ends in whitespace is a 400. */
function trimPrefill(messages: WireMessage[]): void {
  const last = messages.at(-1);
  const block = last?.content.at(-1);
  const text = block?.text;
  if (last?.role !== "assistant" || block?.type !== "text" || typeof text !== "string") return;
  last.content[last.content.length - 1] = { ...block, text: text.trimEnd() };
}

function encodeAssistantPart(part: AssistantPart, ids: ToolIds): JsonObject[] {
  switch (part.kind) {
    case "text":
      return encodeText(part);
    case "refusal":
      return encodeText({ kind: "text", text: part.text });
    case "reasoning":
      // Anthropic verifies thinking by its signature: without one it cannot be sent back.
      return part.signature ? [{ type: "thinking", thinking: part.text, signature: part.signature }] : [];
    case "redacted_reasoning":
      return [{ type: "redacted_thinking", data: part.data }];
    case "generated_image":
      return []; // only Google's models generate images, and an assistant's message has none here
    case "tool_call":
      return [{ type: "tool_use", id: ids.ofCall(part.id), name: part.name, input: parseArguments(part) }];
    default:
      return part satisfies never;
  }
}

function parseArguments(call: ToolCallPart): JsonObject {
  let input: unknown;
  try {
    input = parseExactly(call.arguments === "" ? "{}" : call.arguments);
  } catch {
    input = undefined;
  }
  if (!isJsonObject(input)) {
    throw fail("invalid_request", "the arguments of a tool call in `messages` are not a JSON object");
  }
  return input;
}

function encodeToolResult(result: ToolResult, ids: ToolIds): JsonObject {
  const content = result.content.flatMap(encodeUserPart);
  return {
    type: "tool_result",
    tool_use_id: ids.ofResult(result.callId),
    ...(content.length === 0 ? {} : { content }),
    ...(result.isError ? { is_error: true } : {}),
    ...cacheControl(result),
  };
}
