import { jsonObjectOf, nameOf } from "@tollgate/core/wire/json-fields";
import { answerToolName } from "../answer-tool.ts";
import { withoutArray } from "./decode-error.ts";

/** The parts we read of an answer. Google uses the same shape for a whole answer and for a stream frame. */
export interface Chunk {
  readonly responseId: string | null;
  readonly modelVersion: string | null;
  readonly parts: readonly ChunkPart[];
  /** null while the model is still generating. */
  readonly finishReason: string | null;
  /** Set if the prompt was refused before any model saw it. */
  readonly blockReason: string | null;
  readonly hasError: boolean;
}

export type ChunkPart =
  /** The text may be empty if there is a signature. */
  | { readonly kind: "text"; readonly text: string; readonly signature?: string }
  /** The input of the answer tool: JSON text of an object. */
  | { readonly kind: "answer"; readonly text: string }
  | {
      readonly kind: "image";
      readonly mediaType: string;
      readonly data: string;
      readonly signature?: string;
    }
  | { readonly kind: "thought"; readonly text: string; readonly signature?: string }
  | {
      readonly kind: "call";
      readonly id: string | null;
      readonly name: string;
      /** JSON text of an object. */
      readonly arguments: string;
      readonly signature?: string;
    };

/** null: neither an object nor an error in an array, so not Google's answer. Only the first candidate is read: we never request more. */
export function readChunk(body: unknown): Chunk | null {
  const chunk = jsonObjectOf(withoutArray(body));
  if (chunk === undefined) return null;
  const candidate = Array.isArray(chunk.candidates) ? jsonObjectOf(chunk.candidates[0]) : undefined;
  // SAFETY sends `content: {}`, and MAX_TOKENS while thinking sends content without parts.
  const parts = jsonObjectOf(candidate?.content)?.parts;
  return {
    responseId: text(chunk.responseId),
    modelVersion: text(chunk.modelVersion),
    parts: Array.isArray(parts) ? parts.map(readPart).filter(part => part !== null) : [],
    finishReason: reason(candidate?.finishReason),
    blockReason: reason(jsonObjectOf(chunk.promptFeedback)?.blockReason),
    hasError: chunk.error !== undefined && chunk.error !== null,
  };
}

/** null: a part without an equivalent (executed code, a draft of an image); its tokens are in the usage. */
function readPart(value: unknown): ChunkPart | null {
  const part = jsonObjectOf(value);
  if (part === undefined) return null;
  const signed = text(part.thoughtSignature);
  const signature = signed === null ? {} : { signature: signed };
  const call = jsonObjectOf(part.functionCall);
  if (call !== undefined) {
    const name = text(call.name);
    if (name === null) return null;
    const args = JSON.stringify(jsonObjectOf(call.args) ?? {});
    if (name === answerToolName) return { kind: "answer", text: args };
    return { kind: "call", id: text(call.id), name, arguments: args, ...signature };
  }
  const image = part.thought === true ? null : readImage(part.inlineData);
  if (image !== null) return { ...image, ...signature };
  if (typeof part.text !== "string") return null;
  if (part.thought === true) return { kind: "thought", text: part.text, ...signature };
  return part.text === "" && signed === null ? null : { kind: "text", text: part.text, ...signature };
}

function readImage(value: unknown): Extract<ChunkPart, { kind: "image" }> | null {
  const inline = jsonObjectOf(value);
  const mediaType = text(inline?.mimeType);
  const data = text(inline?.data);
  return mediaType?.startsWith("image/") && data !== null ? { kind: "image", mediaType, data } : null;
}

function text(value: unknown): string | null {
  return nameOf(value) ?? null;
}

/** The unspecified enum value carries no information. */
function reason(value: unknown): string | null {
  const name = text(value);
  return name === null || name.endsWith("_UNSPECIFIED") ? null : name;
}
