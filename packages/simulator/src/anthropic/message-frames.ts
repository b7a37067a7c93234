import type { JsonObject } from "@tollgate/core/wire/json-fields";
import type { Call } from "../call.ts";
import { objectOf, textOf } from "../json-object.ts";
import { splitJson, splitText } from "../split-fragments.ts";

/** A whole message, to be streamed. */
interface StreamedMessage {
  readonly content: readonly JsonObject[];
  readonly stop_reason: string;
  readonly stop_sequence: string | null;
  readonly stop_details: JsonObject | null;
  readonly usage: JsonObject;
}

export function messageFrames(call: Call, message: StreamedMessage): string[] {
  const frames: string[] = [];
  const emit = (type: string, fields: JsonObject) => {
    const json = JSON.stringify({ type, ...fields });
    const spaces = " ".repeat(call.ids.below(`spaces ${frames.length}`, 16));
    // The real API pads inside the last brace: a client that compares text instead of parsing breaks here.
    frames.push(`event: ${type}\ndata: ${json.slice(0, -1)}${spaces}}\n\n`);
  };
  const usage = message.usage;
  const { output_tokens_details: details, ...opening } = usage;
  emit("message_start", {
    message: {
      ...message,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      stop_details: null,
      usage: { ...opening, output_tokens: 1 + call.ids.below("provisional", 4) },
    },
  });
  for (const [index, block] of message.content.entries()) {
    emit("content_block_start", { index, content_block: emptyBlock(block) });
    if (index === 0) frames.push('event: ping\ndata: {"type": "ping"}\n\n');
    for (const delta of blockDeltas(block)) emit("content_block_delta", { index, delta });
    emit("content_block_stop", { index });
  }
  emit("message_delta", {
    delta: {
      stop_reason: message.stop_reason,
      stop_sequence: message.stop_sequence,
      stop_details: message.stop_details,
    },
    // Cumulative: it replaces the usage of message_start, including input and cache.
    usage: {
      input_tokens: usage.input_tokens,
      cache_creation_input_tokens: usage.cache_creation_input_tokens,
      cache_read_input_tokens: usage.cache_read_input_tokens,
      output_tokens: usage.output_tokens,
      ...(details === undefined ? {} : { output_tokens_details: details }),
    },
  });
  emit("message_stop", {});
  return frames;
}

function emptyBlock(block: JsonObject): JsonObject {
  switch (block.type) {
    case "thinking":
      return { type: "thinking", thinking: "", signature: "" };
    case "tool_use":
      return { ...block, input: {} };
    default:
      return { type: "text", text: "" };
  }
}

function blockDeltas(block: JsonObject): JsonObject[] {
  switch (block.type) {
    case "thinking":
      return [
        ...splitText(textOf(block.thinking), 2).map(thinking => ({ type: "thinking_delta", thinking })),
        { type: "signature_delta", signature: block.signature },
      ];
    case "tool_use": {
      // The first piece is empty; a call without arguments has only that one.
      const input = objectOf(block.input);
      const pieces = Object.keys(input).length === 0 ? [] : splitJson(JSON.stringify(input));
      return ["", ...pieces].map(piece => ({ type: "input_json_delta", partial_json: piece }));
    }
    default:
      return splitText(textOf(block.text), 2).map(text => ({ type: "text_delta", text }));
  }
}
