import type { AnswerEvent } from "../canonical/answer.ts";
import type { StreamDecoder } from "../provider.ts";
import { decodeStreamError } from "./decode-error.ts";
import { mapFinishReason } from "./map-finish-reason.ts";
import { nameCalls } from "./name-calls.ts";
import { type ChunkPart, readChunk } from "./read-chunk.ts";

/**
 * Every frame is a whole answer object with the next parts. `finish` waits for the end of the stream: text may follow a
 * frame with a finishReason. A stream that never named a reason did not finish.
 */
export function decodeStream(): StreamDecoder {
  const nameCall = nameCalls();
  let responseId: string | null = null;
  let started = false;
  let failed = false;
  let callCount = 0;
  let finishReason: string | null = null;
  let blocked = false;
  let answered = false;

  function decodePart(part: ChunkPart): AnswerEvent[] {
    switch (part.kind) {
      case "text":
        return answered ? [] : [part];
      case "answer": // a second one, or text after it, would make the content invalid JSON
        if (answered) return [];
        answered = true;
        return [{ kind: "text", text: part.text }];
      case "image":
        return [{ ...part, kind: "generated_image" }];
      case "thought": {
        const events: AnswerEvent[] = [];
        if (part.text !== "") events.push({ kind: "reasoning", text: part.text });
        if (part.signature !== undefined) {
          events.push({ kind: "reasoning_signature", signature: part.signature });
        }
        return events;
      }
      case "call": {
        const index = callCount++;
        const signature = part.signature === undefined ? {} : { signature: part.signature };
        return [
          { kind: "tool_start", index, id: nameCall(part, responseId), name: part.name, ...signature },
          { kind: "tool_arguments", index, fragment: part.arguments },
        ];
      }
      default:
        return part satisfies never;
    }
  }

  return {
    decode(frame) {
      const chunk = readChunk(frame);
      if (chunk === null || failed) return [];
      if (chunk.hasError) {
        failed = true;
        return [{ kind: "error", error: decodeStreamError(frame) }];
      }
      responseId ??= chunk.responseId;
      finishReason = chunk.finishReason ?? finishReason;
      blocked ||= chunk.blockReason !== null;
      const events: AnswerEvent[] = [];
      if (!started) {
        started = true;
        events.push({ kind: "start", id: chunk.responseId ?? "", model: chunk.modelVersion ?? "" });
      }
      for (const part of chunk.parts) events.push(...decodePart(part));
      return events;
    },
    end() {
      if (failed) return [];
      if (finishReason !== null) {
        return [{ kind: "finish", finish: mapFinishReason(finishReason, callCount > 0) }];
      }
      return blocked ? [{ kind: "finish", finish: "content_filter" }] : [];
    },
  };
}
