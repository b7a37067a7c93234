import type { Usage } from "@tollgate/core/money/usage";
import { parseExactly } from "@tollgate/core/wire/exact-json";
import { isJsonObject, type JsonObject } from "@tollgate/core/wire/json-fields";
import type { AnswerPart, CanonicalAnswer } from "../../canonical/answer.ts";
import { encodeUsage } from "./encode-usage.ts";
import { mapFinishReason } from "./map-finish-reason.ts";

export function encodeAnswer(answer: CanonicalAnswer, usage: Usage | null): string {
  const hasRefusal = answer.parts.some(part => part.kind === "refusal");
  return JSON.stringify({
    id: answer.id,
    type: "message",
    role: "assistant",
    model: answer.model,
    content: answer.parts.flatMap(encodePart),
    stop_reason: mapFinishReason(answer.finish, hasRefusal),
    stop_sequence: answer.stopSequence ?? null,
    usage: encodeUsage(usage),
  });
}

function encodePart(part: AnswerPart): JsonObject | [] {
  switch (part.kind) {
    case "text":
    case "refusal":
      return { type: "text", text: part.text };
    case "reasoning":
      return { type: "thinking", thinking: part.text, signature: part.signature ?? "" };
    case "redacted_reasoning":
      return { type: "redacted_thinking", data: part.data };
    case "tool_call":
      return { type: "tool_use", id: part.id, name: part.name, input: toInput(part.arguments) };
    case "generated_image":
      return []; // an assistant's message has no images in this format
    default:
      return part satisfies never;
  }
}

/**
 * A model may produce invalid JSON arguments, or be cut off within them. `input` must be an object, and the text is
 * paid for: it is returned under the name that Anthropic's documentation suggests for such input.
 */
function toInput(text: string): JsonObject {
  try {
    const input: unknown = parseExactly(text === "" ? "{}" : text);
    if (isJsonObject(input)) return input;
  } catch {
    // encoded below
  }
  return { INVALID_JSON: text };
}
