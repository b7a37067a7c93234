import type { Usage } from "@tollgate/core/money/usage";
import type { JsonObject } from "@tollgate/core/wire/json-fields";
import type { CanonicalAnswer } from "../../canonical/answer.ts";
import type { GeneratedImagePart, ToolCallPart } from "../../canonical/request.ts";
import { encodeUsage } from "./encode-usage.ts";
import { mapFinishReason } from "./map-finish-reason.ts";
import { encodeReasoningExtension, type ThinkingPart } from "./reasoning-extension.ts";

/** A whole `chat.completion`. Unknown usage is omitted: zeros would be a claim. */
export function encodeAnswer(answer: CanonicalAnswer, usage: Usage | null, now: number): string {
  return JSON.stringify({
    id: answer.id,
    object: "chat.completion",
    created: answer.created ?? now,
    model: answer.model,
    choices: [
      {
        index: 0,
        message: encodeMessage(answer),
        logprobs: null,
        finish_reason: mapFinishReason(answer.finish),
      },
    ],
    ...(usage !== null && { usage: encodeUsage(usage) }),
  });
}

function encodeMessage(answer: CanonicalAnswer): Record<string, unknown> {
  let text: string | null = null;
  let textSignature: string | undefined;
  let refusal: string | null = null;
  let reasoning = "";
  const thinking: ThinkingPart[] = [];
  const calls: Record<string, unknown>[] = [];
  const images: Record<string, unknown>[] = [];
  for (const part of answer.parts) {
    switch (part.kind) {
      case "text":
        text = (text ?? "") + part.text;
        textSignature ??= part.signature;
        break;
      case "refusal":
        refusal = (refusal ?? "") + part.text;
        break;
      case "reasoning":
        reasoning += part.text;
        thinking.push(part);
        break;
      case "redacted_reasoning":
        thinking.push(part);
        break;
      case "tool_call":
        calls.push(encodeCall(part));
        break;
      case "generated_image":
        images.push(encodeImage(part, images.length));
        break;
      default:
        part satisfies never;
    }
  }
  return {
    role: "assistant",
    content: text ?? (calls.length > 0 || refusal !== null ? null : ""),
    refusal,
    ...(reasoning !== "" && { reasoning_content: reasoning }),
    ...mergeExtensions(encodeReasoningExtension(thinking), encodeSignature(textSignature)),
    ...(images.length > 0 && { images }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

/** Gemini may sign its thoughts and its text. */
function mergeExtensions(...extensions: (JsonObject | undefined)[]): JsonObject {
  const merged = Object.assign({}, ...extensions.map(extension => extension?.extra_content));
  return Object.keys(merged).length === 0 ? {} : { extra_content: merged };
}

function encodeCall(call: ToolCallPart): Record<string, unknown> {
  return {
    id: call.id,
    type: "function",
    function: { name: call.name, arguments: call.arguments },
    ...encodeSignature(call.signature),
  };
}

/** As LiteLLM and OpenRouter return images. The index is for clients that assemble a stream. */
export function encodeImage(image: GeneratedImagePart, index: number): Record<string, unknown> {
  const url = `data:${image.mediaType};base64,${image.data}`;
  return { type: "image_url", image_url: { url }, index, ...encodeSignature(image.signature) };
}

/** Google's own OpenAI-compatible API uses the same field. */
export function encodeSignature(signature: string | undefined): Record<string, unknown> {
  return signature === undefined ? {} : { extra_content: { google: { thought_signature: signature } } };
}
