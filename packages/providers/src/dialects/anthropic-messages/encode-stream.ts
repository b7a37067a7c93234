import type { Usage } from "@tollgate/core/money/usage";
import { isJsonObject, type JsonObject } from "@tollgate/core/wire/json-fields";
import type { AnswerEvent, CanonicalError, Finish } from "../../canonical/answer.ts";
import type { RequestSummary, StreamEncoder } from "../../dialect.ts";
import { encodeError } from "./encode-error.ts";
import { encodeUsage } from "./encode-usage.ts";
import { mapFinishReason } from "./map-finish-reason.ts";

type OpenBlock =
  | { readonly kind: "text" | "refusal" | "reasoning" }
  | { readonly kind: "tool"; readonly call: number; arguments: string };

/**
 * One block is open at a time, because this format cannot interleave two. Other providers may: deltas for another block
 * wait until the open call's arguments are complete.
 */
export class AnthropicStreamEncoder implements StreamEncoder {
  #started = false;
  #open: OpenBlock | null = null;
  #index = -1;
  #waiting: AnswerEvent[] = [];
  #finish: { finish: Finish; stopSequence: string | null } = { finish: "stop", stopSequence: null };
  #hasRefusal = false;

  constructor(private readonly summary: RequestSummary) {}

  encode(event: AnswerEvent): string {
    if (event.kind === "finish") {
      this.#finish = { finish: event.finish, stopSequence: event.stopSequence ?? null };
      return "";
    }
    if (event.kind === "error") return ""; // encoded by `fail`
    if (event.kind === "start")
      return this.#started ? "" : this.#start(event.id, event.model) + this.#drain();
    if (!this.#started) {
      this.#waiting.push(event);
      return "";
    }
    const open = this.#open;
    if (open?.kind === "tool") {
      if (event.kind === "tool_arguments" && event.index === open.call) {
        open.arguments += event.fragment;
        const text = this.#delta({ type: "input_json_delta", partial_json: event.fragment });
        return this.#waiting.length > 0 && isWhole(open.arguments) ? text + this.#drain() : text;
      }
      if (!isWhole(open.arguments)) {
        this.#waiting.push(event);
        return "";
      }
    }
    return this.#write(event);
  }

  end(usage: Usage | null): string {
    let text = this.#started ? "" : this.#start("", this.summary.model) + this.#drain();
    // Each iteration closes the call that the others wait for, so this terminates.
    while (this.#waiting.length > 0) text += this.#close() + this.#drain();
    const { finish, stopSequence } = this.#finish;
    return (
      text +
      this.#close() +
      writeFrame({
        type: "message_delta",
        delta: { stop_reason: mapFinishReason(finish, this.#hasRefusal), stop_sequence: stopSequence },
        usage: encodeUsage(usage),
      }) +
      writeFrame({ type: "message_stop" })
    );
  }

  fail(error: CanonicalError): string {
    return `event: error\ndata: ${encodeError(error)}\n\n`;
  }

  #start(id: string, model: string): string {
    this.#started = true;
    return writeFrame({
      type: "message_start",
      message: {
        id,
        type: "message",
        role: "assistant",
        model,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        // Unknown until the end; message_delta replaces it.
        usage: encodeUsage(null),
      },
    });
  }

  #drain(): string {
    const events = this.#waiting;
    this.#waiting = [];
    return events.map(event => this.encode(event)).join("");
  }

  #write(event: Exclude<AnswerEvent, { kind: "start" | "finish" | "error" }>): string {
    switch (event.kind) {
      case "text":
        if (event.text === "") return ""; // only a signature, which this format has no field for
        return (
          this.#enter("text", { type: "text", text: "" }) +
          this.#delta({ type: "text_delta", text: event.text })
        );
      case "refusal":
        this.#hasRefusal = true;
        return (
          this.#enter("refusal", { type: "text", text: "" }) +
          this.#delta({ type: "text_delta", text: event.text })
        );
      case "reasoning":
        return this.#enterThinking() + this.#delta({ type: "thinking_delta", thinking: event.text });
      case "reasoning_signature":
        // A signature seals its block: later thinking belongs to the next one.
        return (
          this.#enterThinking() +
          this.#delta({ type: "signature_delta", signature: event.signature }) +
          this.#close()
        );
      case "redacted_reasoning":
        return (
          this.#close() +
          this.#startBlock({ type: "redacted_thinking", data: event.data }) +
          this.#stopBlock()
        );
      case "tool_start": {
        const text =
          this.#close() + this.#startBlock({ type: "tool_use", id: event.id, name: event.name, input: {} });
        this.#open = { kind: "tool", call: event.index, arguments: "" };
        return text;
      }
      case "generated_image":
        return ""; // an assistant's message has no images in this format
      case "tool_arguments":
        return ""; // its call is already closed, or was never announced
      default:
        return event satisfies never;
    }
  }

  #enterThinking(): string {
    return this.#enter("reasoning", { type: "thinking", thinking: "", signature: "" });
  }

  #enter(kind: "text" | "refusal" | "reasoning", block: JsonObject): string {
    if (this.#open?.kind === kind) return "";
    const text = this.#close() + this.#startBlock(block);
    this.#open = { kind };
    return text;
  }

  #close(): string {
    if (this.#open === null) return "";
    this.#open = null;
    return this.#stopBlock();
  }

  #startBlock(block: JsonObject): string {
    this.#index++;
    return writeFrame({ type: "content_block_start", index: this.#index, content_block: block });
  }

  #stopBlock(): string {
    return writeFrame({ type: "content_block_stop", index: this.#index });
  }

  #delta(delta: JsonObject): string {
    return writeFrame({ type: "content_block_delta", index: this.#index, delta });
  }
}

/** Official clients skip a frame without its `event:` line. */
function writeFrame(data: JsonObject & { type: string }): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
}

function isWhole(json: string): boolean {
  if (!json.trimEnd().endsWith("}")) return false;
  try {
    return isJsonObject(JSON.parse(json));
  } catch {
    return false;
  }
}
