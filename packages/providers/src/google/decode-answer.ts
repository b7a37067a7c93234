import { fail } from "@tollgate/core/errors";
import type { AnswerPart, CanonicalAnswer, Finish } from "../canonical/answer.ts";
import { mapFinishReason } from "./map-finish-reason.ts";
import { nameCalls } from "./name-calls.ts";
import { type Chunk, type ChunkPart, readChunk } from "./read-chunk.ts";

export function decodeAnswer(body: unknown): CanonicalAnswer {
  const chunk = readChunk(body);
  if (chunk === null || chunk.hasError || isEmpty(chunk)) {
    throw fail("provider_invalid_answer", "google answered without a candidate, and without a reason for it");
  }
  const nameCall = nameCalls();
  const parts: AnswerPart[] = [];
  for (const part of answerOnly(chunk.parts)) append(parts, part, call => nameCall(call, chunk.responseId));
  return {
    id: chunk.responseId ?? "",
    model: chunk.modelVersion ?? "",
    parts,
    finish: finishOf(
      chunk,
      parts.some(part => part.kind === "tool_call"),
    ),
  };
}

/** A structured answer must be valid JSON: beside it there is no other text, nor a second answer. */
function answerOnly(parts: readonly ChunkPart[]): readonly ChunkPart[] {
  const answer = parts.find(part => part.kind === "answer");
  if (answer === undefined) return parts;
  return parts.filter(part => part === answer || (part.kind !== "answer" && part.kind !== "text"));
}

function isEmpty(chunk: Chunk): boolean {
  return chunk.parts.length === 0 && chunk.finishReason === null && chunk.blockReason === null;
}

function finishOf(chunk: Chunk, sawCall: boolean): Finish {
  if (chunk.finishReason !== null) return mapFinishReason(chunk.finishReason, sawCall);
  return chunk.blockReason !== null ? "content_filter" : "error";
}

/** Google splits one text into several parts arbitrarily; clients expect one. */
function append(
  parts: AnswerPart[],
  part: ChunkPart,
  nameCall: (call: Extract<ChunkPart, { kind: "call" }>) => string,
): void {
  const last = parts.at(-1);
  switch (part.kind) {
    case "text":
      if (last?.kind === "text") parts[parts.length - 1] = { ...part, ...last, text: last.text + part.text };
      else if (part.text !== "") parts.push(part);
      return;
    case "answer":
      parts.push({ kind: "text", text: part.text });
      return;
    case "image":
      parts.push({ ...part, kind: "generated_image" });
      return;
    case "thought": {
      const { kind: _, ...thought } = part;
      if (thought.text === "" && thought.signature === undefined) return;
      // A signature closes the part that it signs.
      if (last?.kind === "reasoning" && last.signature === undefined) {
        parts[parts.length - 1] = { kind: "reasoning", ...thought, text: last.text + thought.text };
      } else parts.push({ kind: "reasoning", ...thought });
      return;
    }
    case "call": {
      const { kind: _, ...call } = part;
      parts.push({ kind: "tool_call", ...call, id: nameCall(part) });
      return;
    }
    default:
      part satisfies never;
  }
}
