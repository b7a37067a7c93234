import type { Usage } from "@tollgate/core/money/usage";
import type { AnswerEvent, Finish } from "../../canonical/answer.ts";
import type { RequestSummary, StreamEncoder } from "../../dialect.ts";
import { encodeImage, encodeSignature } from "./encode-answer.ts";
import { encodeErrorFrame } from "./encode-error.ts";
import { encodeUsage } from "./encode-usage.ts";
import { mapFinishReason } from "./map-finish-reason.ts";
import { encodeReasoningExtension, type ThinkingPart } from "./reasoning-extension.ts";

export const DONE_FRAME = "data: [DONE]\n\n";

/**
 * Encodes `chat.completion.chunk` frames. A client that did not request usage gets it on the chunk with the
 * finish_reason, because code that reads `choices[0]` would crash on a chunk without choices.
 */
export function streamEncoder(summary: RequestSummary, created: number): StreamEncoder {
  let id = "";
  let model = "";
  let finish: Finish | undefined;
  const callsWithoutArguments = new Set<number>();
  let sawCall = false;
  let imageCount = 0;
  let isTextSigned = false;
  const thinking = createThinkingLog();

  function frame(choices: readonly unknown[], usage?: unknown): string {
    const chunk = { id, object: "chat.completion.chunk", created, model, choices };
    if (usage !== undefined) return `data: ${JSON.stringify({ ...chunk, usage })}\n\n`;
    // OpenAI sends `usage: null` on every chunk once usage was requested.
    return `data: ${JSON.stringify(summary.wantsStreamUsage ? { ...chunk, usage: null } : chunk)}\n\n`;
  }

  const delta = (fields: Record<string, unknown>) =>
    frame([{ index: 0, delta: fields, logprobs: null, finish_reason: null }]);

  function encode(event: AnswerEvent): string {
    switch (event.kind) {
      case "start":
        id = event.id;
        model = event.model;
        return delta({ role: "assistant", content: "" });
      case "text":
        return encodeText(event.text, event.signature);
      case "refusal":
        return event.text === "" ? "" : delta({ refusal: event.text });
      case "generated_image":
        return delta({ images: [encodeImage(event, imageCount++)] });
      case "reasoning":
        thinking.text(event.text);
        return event.text === "" ? "" : delta({ reasoning_content: event.text });
      case "reasoning_signature":
        thinking.signature(event.signature);
        return "";
      case "redacted_reasoning":
        thinking.redacted(event.data);
        return "";
      case "tool_start":
        sawCall = true;
        callsWithoutArguments.add(event.index);
        return delta({
          tool_calls: [
            {
              index: event.index,
              id: event.id,
              type: "function",
              function: { name: event.name, arguments: "" },
              ...encodeSignature(event.signature),
            },
          ],
        });
      case "tool_arguments":
        if (event.fragment === "") return "";
        callsWithoutArguments.delete(event.index);
        return argumentsDelta(event.index, event.fragment);
      case "finish":
        finish = event.finish;
        return "";
      case "error":
        return ""; // encoded by `fail`
      default:
        return event satisfies never;
    }
  }

  /** Clients join what several chunks have in one field, so only the first signature is sent. */
  function encodeText(text: string, signature: string | undefined): string {
    const signed = isTextSigned ? {} : encodeSignature(signature);
    isTextSigned ||= signature !== undefined;
    const fields = { ...(text !== "" && { content: text }), ...signed };
    return Object.keys(fields).length === 0 ? "" : delta(fields);
  }

  const argumentsDelta = (index: number, fragment: string) =>
    delta({ tool_calls: [{ index, function: { arguments: fragment } }] });

  return {
    encode,
    end(usage: Usage | null) {
      let text = "";
      // Even a call without arguments must parse as JSON at the client. Only now is it certain that none come.
      for (const index of callsWithoutArguments) text += argumentsDelta(index, "{}");
      const extension = encodeReasoningExtension(thinking.parts());
      if (extension !== undefined) text += delta({ ...extension });
      const reason = mapFinishReason(finish ?? (sawCall ? "tool_calls" : "stop"));
      const last = [{ index: 0, delta: {}, logprobs: null, finish_reason: reason }];
      const shown = usage === null ? undefined : encodeUsage(usage);
      if (shown === undefined) text += frame(last);
      else if (summary.wantsStreamUsage) text += frame(last) + frame([], shown);
      else text += frame(last, shown);
      return text + DONE_FRAME;
    },
    fail: encodeErrorFrame,
  };
}

/** Collects thinking in its original blocks: a signature or an encrypted block ends the previous one. */
function createThinkingLog() {
  const closed: ThinkingPart[] = [];
  let open: string | null = null;
  function close(signature?: string): void {
    if (open !== null || signature !== undefined)
      closed.push({ kind: "reasoning", text: open ?? "", ...(signature !== undefined && { signature }) });
    open = null;
  }
  return {
    text(text: string): void {
      open = (open ?? "") + text;
    },
    signature: close,
    redacted(data: string): void {
      close();
      closed.push({ kind: "redacted_reasoning", data });
    },
    parts(): readonly ThinkingPart[] {
      close();
      return closed;
    },
  };
}
