/**
 * Anthropic rejects a later turn whose thinking lost its signature, and this format has no field for one. So the
 * answer has it in `extra_content.anthropic`, and a client that returns the message unchanged sends it back:
 * - one signed block: `reasoning_content` is its text, `extra_content.anthropic.signature` its signature;
 * - several blocks, or an encrypted one: `extra_content.anthropic.thinking_blocks` has them all, in Anthropic's own
 *   shape, and `reasoning_content` their text for display.
 * Gemini's signatures are in `extra_content.google.thought_signature` of what they sign: a tool call, an image, or the
 * message for its text.
 */

import { type JsonObject, jsonObjectOf, listOf, nameOf } from "@tollgate/core/wire/json-fields";
import type { ReasoningPart, RedactedReasoningPart } from "../../canonical/request.ts";

export type ThinkingPart = ReasoningPart | RedactedReasoningPart;

export function encodeReasoningExtension(parts: readonly ThinkingPart[]): JsonObject | undefined {
  const mustReturn = parts.some(part => part.kind === "redacted_reasoning" || part.signature !== undefined);
  if (!mustReturn) return undefined;
  const [only] = parts;
  if (parts.length === 1 && only?.kind === "reasoning")
    return { extra_content: { anthropic: { signature: only.signature } } };
  return { extra_content: { anthropic: { thinking_blocks: parts.map(encodeBlock) } } };
}

function encodeBlock(part: ThinkingPart): JsonObject {
  if (part.kind === "redacted_reasoning") return { type: "redacted_thinking", data: part.data };
  const { text, signature } = part;
  return { type: "thinking", thinking: text, ...(signature !== undefined && { signature }) };
}

/** A field of any other shape is a foreign extension: ignored, not refused. */
export function decodeReasoning(message: JsonObject): ThinkingPart[] {
  const extension = jsonObjectOf(jsonObjectOf(message.extra_content)?.anthropic);
  const blocks = listOf(extension?.thinking_blocks);
  if (blocks !== undefined) return blocks.flatMap(decodeBlock);
  const text = nameOf(message.reasoning_content);
  const signature = nameOf(extension?.signature);
  if (text === undefined && signature === undefined) return [];
  return [{ kind: "reasoning", text: text ?? "", ...(signature !== undefined && { signature }) }];
}

function decodeBlock(value: unknown): ThinkingPart[] {
  const block = jsonObjectOf(value);
  const data = nameOf(block?.data);
  if (block?.type === "redacted_thinking" && data !== undefined)
    return [{ kind: "redacted_reasoning", data }];
  if (block?.type !== "thinking" || typeof block.thinking !== "string") return [];
  const signature = nameOf(block.signature);
  return [{ kind: "reasoning", text: block.thinking, ...(signature !== undefined && { signature }) }];
}
