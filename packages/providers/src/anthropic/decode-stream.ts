import { isJsonObject, type JsonObject } from "@tollgate/core/wire/json-fields";
import { answerToolName } from "../answer-tool.ts";
import type { AnswerEvent, Finish } from "../canonical/answer.ts";
import type { StreamDecoder } from "../provider.ts";
import { refusalExplanation } from "./decode-answer.ts";
import { decodeStreamError } from "./decode-error.ts";
import { mapFinishReason } from "./map-finish-reason.ts";

/** An open tool_use block. `call` is null for the answer tool, whose input is text to the caller. */
interface OpenTool {
  readonly call: number | null;
  readonly input: unknown;
  hasArguments: boolean;
}

/** Blocks are numbered over the whole message, calls only among themselves. */
export class AnthropicStreamDecoder implements StreamDecoder {
  readonly #openTools = new Map<unknown, OpenTool>();
  #calls = 0;
  #finish: Finish | null = null;
  #stopSequence: string | null = null;

  decode(frame: unknown): AnswerEvent[] {
    if (!isJsonObject(frame)) return [];
    switch (frame.type) {
      case "message_start":
        return this.#start(frame.message);
      case "content_block_start":
        return isJsonObject(frame.content_block) ? this.#openBlock(frame.index, frame.content_block) : [];
      case "content_block_delta":
        return isJsonObject(frame.delta) ? this.#continueBlock(frame.index, frame.delta) : [];
      case "content_block_stop":
        return this.#closeBlock(frame.index);
      case "message_delta":
        return isJsonObject(frame.delta) ? this.#stop(frame.delta) : [];
      case "message_stop":
        return this.#end();
      case "error":
        return [{ kind: "error", error: decodeStreamError(frame) }];
      default:
        return [];
    }
  }

  /** Nothing: `finish` is sent at message_stop, and without that frame the answer was cut off. */
  end(): AnswerEvent[] {
    return [];
  }

  /** The stop reason is already here if no message_delta follows. */
  #start(message: unknown): AnswerEvent[] {
    const fields = isJsonObject(message) ? message : {};
    const { id, model } = fields;
    return [
      { kind: "start", id: typeof id === "string" ? id : "", model: typeof model === "string" ? model : "" },
      ...this.#stop(fields),
    ];
  }

  #openBlock(index: unknown, block: JsonObject): AnswerEvent[] {
    switch (block.type) {
      case "text":
        return text("text", block.text);
      case "thinking":
        return [...text("reasoning", block.thinking), ...signature(block.signature)];
      case "redacted_thinking":
        return typeof block.data === "string" ? [{ kind: "redacted_reasoning", data: block.data }] : [];
      case "tool_use": {
        const { id, name, input } = block;
        if (typeof id !== "string" || typeof name !== "string") return [];
        const call = name === answerToolName ? null : this.#calls++;
        this.#openTools.set(index, { call, input, hasArguments: false });
        return call === null ? [] : [{ kind: "tool_start", index: call, id, name }];
      }
      default:
        return [];
    }
  }

  #continueBlock(index: unknown, delta: JsonObject): AnswerEvent[] {
    switch (delta.type) {
      case "text_delta":
        return text("text", delta.text);
      case "thinking_delta":
        return text("reasoning", delta.thinking);
      case "signature_delta":
        return signature(delta.signature);
      case "input_json_delta": {
        const tool = this.#openTools.get(index);
        const fragment = delta.partial_json;
        if (!tool || typeof fragment !== "string" || fragment === "") return [];
        tool.hasArguments = true;
        return [argument(tool, fragment)];
      }
      default:
        return [];
    }
  }

  /** A call without arguments sends no fragment, but its arguments are still an object: "{}", never "". */
  #closeBlock(index: unknown): AnswerEvent[] {
    const tool = this.#openTools.get(index);
    this.#openTools.delete(index);
    if (!tool || tool.hasArguments) return [];
    return [argument(tool, isJsonObject(tool.input) ? JSON.stringify(tool.input) : "{}")];
  }

  #stop(delta: JsonObject): AnswerEvent[] {
    const { stop_reason: reason, stop_sequence: sequence } = delta;
    if (typeof reason === "string") this.#finish = mapFinishReason(reason);
    if (typeof sequence === "string") this.#stopSequence = sequence;
    const explanation = refusalExplanation(delta);
    return explanation === null ? [] : [{ kind: "refusal", text: explanation }];
  }

  #end(): AnswerEvent[] {
    const finish = this.#finish ?? "stop";
    const wasAnswerTool = finish === "tool_calls" && this.#calls === 0;
    return [
      {
        kind: "finish",
        finish: wasAnswerTool ? "stop" : finish,
        ...(this.#stopSequence === null ? {} : { stopSequence: this.#stopSequence }),
      },
    ];
  }
}

function text(kind: "text" | "reasoning", value: unknown): AnswerEvent[] {
  return typeof value === "string" && value !== "" ? [{ kind, text: value }] : [];
}

function signature(value: unknown): AnswerEvent[] {
  return typeof value === "string" && value !== "" ? [{ kind: "reasoning_signature", signature: value }] : [];
}

function argument(tool: OpenTool, fragment: string): AnswerEvent {
  return tool.call === null
    ? { kind: "text", text: fragment }
    : { kind: "tool_arguments", index: tool.call, fragment };
}
